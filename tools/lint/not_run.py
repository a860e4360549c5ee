#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Does tools/coverage/not-run name what exists? "make coverage" says whether its lines run; this
# says in seconds that a function is gone, moved, or has not these lines (any more).
#
# Usage: not_run.py      exit status 1 if an entry is of nothing

import collections
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
LIST = 'tools/coverage/not-run'


def body(lines, name):
    """The stripped lines of a function, or None."""
    for i, line in enumerate(lines):
        if not re.match(r'[A-Za-z_]', line) or not re.search(rf'\b{name}\(', line):
            continue
        for k in range(i, len(lines)):
            if lines[k].startswith('{'):
                return [text.strip() for text in lines[i:lines.index('}', k)]]
            if lines[k].rstrip().endswith(';'):
                break
    return None


def entries():
    """(where, file, function, its lines) of each entry."""
    with open(os.path.join(TOP, LIST), encoding='utf-8') as file:
        found = []
        for number, line in enumerate(file, 1):
            if line[0] in '#\n':
                continue
            if line[0] == '\t':
                found[-1][3].append(line.strip())
            else:
                path, function = line.split(': ')[0].split(' ')
                found.append((f'{LIST}:{number}', path, function, []))
    return found


def main(arguments):
    """Prints each entry that is of nothing."""
    if arguments in (['--help'], ['-h']):
        with open(os.path.realpath(__file__), encoding='utf-8') as file:
            head = file.read().split('#\n', 1)[1].split('\n\n', 1)[0]
        print(re.sub(r'^# ?', '', head, flags=re.MULTILINE))
        return 0
    if arguments:
        sys.exit(f'not_run.py: unknown argument {arguments[0]!r}; see tools/lint/not_run.py --help')
    bad = 0
    for where, path, function, listed in entries():
        try:
            with open(os.path.join(TOP, path), encoding='utf-8') as file:
                lines = body(file.read().split('\n'), function)
        except FileNotFoundError:
            lines = None
        if lines is None:
            bad += 1
            print(f'{where}: {path} has no function {function}')
            continue
        for text in collections.Counter(listed) - collections.Counter(lines):
            bad += 1
            print(f'{where}: {function} has not so many lines "{text}"')
    return 1 if bad else 0


sys.exit(main(sys.argv[1:]))
