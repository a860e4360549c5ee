#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Reads deliberate faults and puts them into a checkout.
#
# Usage: fault.py list [NAME...]          a line for each: name, part, test, what a user would
#                                         suffer, rule, further rules, key; between tabs
#        fault.py check DIR [NAME...]     can each be put into the checkout at DIR?
#        fault.py put DIR NAME            put it in
#
# The files PART.faults in this folder hold them, one after another with an empty line between:
#
#     Fault: NAME
#     Suffers: what a user would suffer
#     Caught by: the test that has to fail, see tests.sh; or "none: WHY", where no effect can show it
#     In: FILE: FUNCTION
#      a line that stays
#     -a line that goes
#     +a line that comes
#
# FUNCTION may also be a table, structure or macro; without it the lines may stand anywhere in FILE.
# The lines that stay or go are looked for inside of it, one after another; they have to be there
# just once. How far they are indented and empty lines between them do not matter. A fault may have
# several places, each with an "In:". Those that are caught by "rules" also have
#
#     Rule: NAME                          the rule of the paging model whose test has to fail
#     Also: NAME...                       rules that say the same of it; no further one may fail

import glob
import hashlib
import os
import re
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
FIELDS = {'Fault': 'name', 'Suffers': 'suffers', 'Caught by': 'test', 'Rule': 'rule', 'Also': 'also'}


class FaultError(Exception):
    """What is wrong with a fault, for its author."""


class Place:
    """One place of a fault: where, and its lines with their marks."""

    def __init__(self, where):
        self.file, _, self.scope = where.partition(': ')
        self.lines = []

    def sought(self):
        return [line[1:].strip() for line in self.lines if line[0] in ' -']


class Fault:
    """One fault, from its lines."""

    def __init__(self, lines, path):
        self.part = os.path.basename(path).removesuffix('.faults')
        self.fields = dict.fromkeys(FIELDS.values(), '')
        self.places = []
        # the first line is its name: what came of a fault stays known when it is named anew
        self.key = hashlib.sha256('\n'.join(lines[1:]).encode()).hexdigest()[:16]
        for line in lines:
            self.read(line, path)
        for field, name in FIELDS.items():
            if not self.fields[name] and (field not in ('Rule', 'Also') or
                                          field == 'Rule' and self.test == 'rules'):
                raise FaultError(f"{path}: {self.name or lines[0]}: needs a line '{field}: ...'")
        for place in self.places:
            if not place.sought() or not any(line[0] in '-+' for line in place.lines):
                raise FaultError(f'{path}: {self.name}: {place.file}: needs lines to find and to put')
        if not self.places:
            raise FaultError(f"{path}: {self.name}: needs a line 'In: FILE: FUNCTION'")

    def __getattr__(self, name):
        return self.fields[name]

    def read(self, line, path):
        field, colon, text = line.partition(': ')
        if line[0] in ' -+' and self.places:
            if line[1:].strip():
                self.places[-1].lines.append(line)
        elif colon and field == 'In':
            self.places.append(Place(text))
        elif colon and field in FIELDS and not self.fields[FIELDS[field]]:
            self.fields[FIELDS[field]] = text
        else:
            raise FaultError(f'{path}: {self.name}: what is this line? {line}')


def read_faults():
    """All faults by name."""
    faults = {}
    for path in sorted(glob.glob(os.path.join(HERE, '*.faults'))):
        with open(path, encoding='utf-8') as file:
            text = ''.join(line for line in file if line[0] != '#')
        for stanza in re.split(r'\n{2,}', text.strip('\n')):
            if not stanza:
                continue
            fault = Fault(stanza.split('\n'), path)
            if fault.name in faults:
                raise FaultError(f'{path}: there is another fault {fault.name}')
            faults[fault.name] = fault
    return faults


def begins(lines, i, name):
    """Does the function, table, structure or macro begin in the line?"""
    line = lines[i]
    if not re.match(r'[A-Za-z_#]', line) or not re.search(rf'\b{name}\b', line):
        return False
    if line.startswith('#'):
        return re.match(rf'#\s*define {name}\b', line) is not None
    if re.match(r'(struct|enum|union) ', name):
        return line == name + ' {'
    if re.search(rf'\b{name}(\[.*\])* = {{', line):
        return True
    if not re.search(rf'\b{name}\(', line):
        return False
    # a definition, not a prototype or a call: its body begins before anything ends
    for line in lines[i + 1:]:
        if line.startswith('{'):
            return True
        if not line.strip() or line.startswith('}') or line.rstrip().endswith(';'):
            return False
    return False


def find_scope(lines, name):
    """Its first line and that behind its last one, or None."""
    for i in range(len(lines)):
        if not begins(lines, i, name):
            continue
        end = i + 1
        if lines[i].startswith('#'):
            while lines[end - 1].rstrip().endswith('\\'):
                end += 1
        else:
            while end < len(lines) and not lines[end].startswith('}'):
                end += 1
            end += 1
        return i, end
    return None


def find_lines(lines, sought, begin, end):
    """The indices of the sought lines, for each place where they are."""
    filled = [i for i in range(begin, end) if lines[i].strip()]
    stripped = [lines[i].strip() for i in filled]
    return [filled[k:k + len(sought)] for k in range(len(filled) - len(sought) + 1)
            if stripped[k:k + len(sought)] == sought]


def find_place(lines, place, fault):
    """The indices of the lines that a place seeks."""
    begin, end = 0, len(lines)
    if place.scope:
        scope = find_scope(lines, place.scope)
        if not scope:
            raise FaultError(f'{fault.name}: {place.file} has no {place.scope}')
        begin, end = scope
    found = find_lines(lines, place.sought(), begin, end)
    if len(found) != 1:
        raise FaultError(f'{fault.name}: {place.file}: {place.scope or "(all)"} has its lines '
                         f'{len(found)} times')
    return found[0]


def change(lines, place, found):
    """The lines of a file with one place changed."""
    at = iter(found)
    new, behind = [], found[0]
    for line in place.lines:
        if line[0] == '+':
            new.append(line[1:])
            continue
        i = next(at)
        new += lines[behind:i]
        behind = i + 1
        if line[0] == ' ':
            new.append(lines[i])
    return lines[:found[0]] + new + lines[behind:]


def changed_files(fault, top, cache):
    """The new lines of each file that the fault is in; cache keeps those of files."""
    places = {}
    for place in fault.places:
        path = os.path.join(top, place.file)
        if path not in cache:
            try:
                with open(path, encoding='utf-8') as file:
                    cache[path] = file.read().split('\n')
            except OSError as error:
                raise FaultError(f'{fault.name}: {place.file}: {error.strerror}') from error
        places.setdefault(path, []).append((find_place(cache[path], place, fault), place))
    files = {}
    for path, found in places.items():
        files[path] = cache[path]
        # the last one first: it does not move the others
        for indices, place in sorted(found, key=lambda pair: pair[0], reverse=True):
            files[path] = change(files[path], place, indices)
    return files


def choose(faults, names):
    for name in names:
        if name not in faults:
            raise FaultError(f"there is no fault '{name}'; they are in tools/faults/*.faults")
    return [faults[name] for name in names or sorted(faults)]


def print_list(faults):
    for fault in faults:
        print(fault.name, fault.part, fault.test, fault.suffers, fault.rule, fault.also, fault.key,
              sep='\t')


def check(faults, top):
    bad, cache = 0, {}
    for fault in faults:
        try:
            changed_files(fault, top, cache)
        except FaultError as error:
            print(f'faults: {error}', file=sys.stderr)
            bad += 1
    return bad


def put(fault, top):
    for path, lines in changed_files(fault, top, {}).items():
        with open(path, 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines))


def print_head():
    with open(__file__, encoding='utf-8') as file:
        head = file.read().split('#\n', 1)[1].split('\n\n', 1)[0]
    print(re.sub(r'^# ?', '', head, flags=re.MULTILINE))


def main(args):
    if args[:1] == ['list']:
        print_list(choose(read_faults(), args[1:]))
    elif args[:1] == ['check'] and len(args) > 1:
        return 1 if check(choose(read_faults(), args[2:]), args[1]) else 0
    elif args[:1] == ['put'] and len(args) == 3:
        put(choose(read_faults(), args[2:])[0], args[1])
    elif args[:1] in (['--help'], ['-h']):
        print_head()
    else:
        raise FaultError(f"fault.py: '{' '.join(args)}' is unknown; see tools/faults/fault.py --help")
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main(sys.argv[1:]))
    except FaultError as error:
        sys.exit(f'faults: {error}')
