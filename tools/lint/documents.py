#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Resolves what the documents refer to, as Sphinx with the kernel's extensions would: documents
# of :doc:, of the table of contents, files of include, figure and kernel-doc, the DOC sections,
# functions and structures that kernel-doc is asked for, and titles in `...`_.
#
# Usage: documents.py DOCUMENT...    from the top of the checkout; prints what leads nowhere;
#                                    exit status 1 if anything does

import os
import re
import sys

DIRECTIVE = re.compile(r'^( *)\.\. ([a-z-]+):: *(.*)$')
OPTION = re.compile(r'^ +:([a-z-]+): *(.*)$')
KERNEL_DOC_OPTIONS = {'doc', 'functions', 'identifiers', 'internal'}


def is_line_of_title(line):
    """A title has such a line under it, as long as itself."""
    return len(line) > 2 and len(set(line)) == 1 and not line[0].isalnum()


def titles(lines):
    """What `...`_ can name, in small letters: sections, and targets."""
    found = set()
    for line, below in zip(lines, lines[1:] + ['']):
        if line.strip() and is_line_of_title(below) and len(below) >= len(line.rstrip()):
            found.add(' '.join(line.lower().split()))
        target = re.match(r'^\.\. _`?([^:`]+)`?:', line)
        if target:
            found.add(target.group(1).lower())
    return found


class Document:
    def __init__(self, path):
        self.path = path
        self.directory = os.path.dirname(path)
        with open(path, encoding='utf-8') as file:
            self.lines = file.read().split('\n')
        self.faults = 0

    def say(self, number, text):
        print(f'{self.path}:{number + 1}: {text}')
        self.faults += 1

    def need_file(self, number, path):
        if not os.path.isfile(path):
            self.say(number, f'there is no file {path}')
            return False
        return True

    def block(self, number, indent):
        """Lines that belong to the directive at this one, with their numbers."""
        for at in range(number + 1, len(self.lines)):
            line = self.lines[at]
            if line.strip() and len(line) - len(line.lstrip()) <= indent:
                return
            yield at, line

    def kernel_doc(self, number, indent, path):
        if not self.need_file(number, path):
            return
        with open(path, encoding='utf-8') as file:
            source = file.read()
        if '\n/**\n' not in source:
            self.say(number, f'{path} has no kernel-doc')
        for at, line in self.block(number, indent):
            option = OPTION.match(line)
            if not option:
                continue
            name, value = option.groups()
            if name not in KERNEL_DOC_OPTIONS:
                self.say(at, f'kernel-doc has no option {name}')
            elif name == 'doc':
                if f' * DOC: {value}\n' not in source:
                    self.say(at, f'{path} has no section "DOC: {value}"')
            else:
                for wanted in value.split():
                    if not re.search(rf'^ \* ((struct|union|enum|define) )?{wanted}(\(\))? - ',
                                     source, re.M):
                        self.say(at, f'{path} does not describe {wanted}')

    def directive(self, number, indent, name, argument):
        if name == 'kernel-doc':
            self.kernel_doc(number, indent, argument)
        elif name in ('include', 'figure', 'image', 'literalinclude'):
            self.need_file(number, os.path.join(self.directory, argument))
        elif name == 'toctree':
            for at, line in self.block(number, indent):
                if line.strip() and not OPTION.match(line):
                    self.need_file(at, os.path.join(self.directory, line.strip() + '.rst'))

    def references(self):
        """Each with the number of its line; one may go on in the next line."""
        text = '\n'.join(self.lines)
        for match in re.finditer(r'``.*?``|(:[a-z-]+:)?`([^`]+)`(__?)?', text, re.S):
            if match.group(2):
                yield text.count('\n', 0, match.start()), *match.groups()

    def check(self):
        known = titles(self.lines)
        for number, role, text, mark in self.references():
            text = ' '.join(text.split())
            if role == ':doc:':
                self.need_file(number, os.path.join(self.directory, text + '.rst'))
            elif mark == '_' and '<' not in text and text.lower() not in known:
                self.say(number, f'there is no section "{text}"')
        for number, line in enumerate(self.lines):
            found = DIRECTIVE.match(line)
            if found:
                self.directive(number, len(found.group(1)), *found.groups()[1:])
        return self.faults


def print_head():
    with open(__file__, encoding='utf-8') as file:
        head = file.read().split('#\n', 1)[1].split('\n\n', 1)[0]
    print(re.sub(r'^# ?', '', head, flags=re.MULTILINE))


def main(paths):
    if paths and paths[0] in ('--help', '-h'):
        print_head()
        return
    bad = [path for path in paths if not os.path.isfile(path)]
    if bad or not paths:
        sys.exit(f"documents.py: '{' '.join(bad)}' is no document; see tools/lint/documents.py --help")
    sys.exit(1 if sum([Document(path).check() for path in paths]) else 0)


main(sys.argv[1:])
