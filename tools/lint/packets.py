#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# The table of packets in device.rst, made of the rows in the engine: bytes, flags and faults of
# each opcode.
#
# Usage: packets.py [--write]    from the top of the checkout; says whether the document has
#                                another table, or puts it there; exit status 1 if it differs

import re
import sys

ROWS = 'qemu-device/engine/execution/quire_opcode.c'
HEADERS = ('include/quire/quire_hw.h', 'include/quire/quire_command.h')
DOCUMENT = 'Documentation/gpu/quire/device.rst'
BEGIN = '.. The following table is made by tools/lint/packets.py --write\n'
END = '.. The end of that table\n'
SIZES = {'__le16': 2, '__le32': 4, '__le64': 8}


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def without_comments(text):
    return re.sub(r'/\*.*?\*/', '', text, flags=re.DOTALL)


def sizes_of_structures(text):
    """Bytes of each structure, which has no padding; arrays without a size have none."""
    sizes = dict(SIZES)
    for name, body in re.findall(r'^struct (\w+) \{(.*?)^\};', text, re.DOTALL | re.MULTILINE):
        size = 0
        for kind, members in re.findall(r'^\s+(?:struct )?(\w+) ([^;]+);', body, re.MULTILINE):
            for member in members.split(','):
                count = re.search(r'\[(\w*)\]', member)
                if count and not count.group(1).isdigit():
                    count = '0'
                elif count:
                    count = count.group(1)
                size += sizes.get(kind, 0) * int(count or 1)
        sizes[name] = size
    return sizes


def defined(text):
    """What macros stand for, without parentheses."""
    text = text.replace('\\\n', ' ')
    return {name: value.strip().strip('()')
            for name, value in re.findall(r'^#define (\w+)[ \t]+(.+)$', text, re.MULTILINE)}


def names(value, macros, keep):
    """The names that begin with @keep in what @value stands for."""
    found = []
    for word in re.findall(r'\bQUIRE_\w+', value):
        if word == 'QUIRE_FAULT_BIT':
            continue
        if word.startswith(keep):
            found.append(word[len(keep):])
        elif word in macros:
            found += names(macros[word], macros, keep)
    return found


def rows():
    """(opcode, name, bytes, flags, faults) of each row, and of TRANSFER with flags."""
    wire = without_comments(''.join(read(path) for path in HEADERS))
    engine = without_comments(read(ROWS))
    sizes = sizes_of_structures(wire)
    opcodes = {name: int(value, 16)
               for name, value in re.findall(r'^\s+(QUIRE_\w+)\s*= (0x[0-9a-f]+)', wire, re.MULTILINE)}
    macros = defined(engine)
    table = re.findall(r'^\t\[(\w+)\] = \{(.*?)^\t\},', engine, re.DOTALL | re.MULTILINE)
    swizzle = re.search(r'quire_operation_swizzle = \{(.*?)^\};', engine, re.DOTALL | re.MULTILINE)
    table.append(('QUIRE_OP_TRANSFER', swizzle.group(1)))
    for name, row in sorted(table, key=lambda entry: opcodes[entry[0]]):
        fixed = sizes[re.search(r'\.fixed = sizeof\(struct (\w+)\)', row).group(1)]
        flags = re.search(r'\.flags = ([^,]+),', row)
        faults = re.search(r'\.faults = ([^,]+),', row)
        flags = names(flags.group(1), {}, 'QUIRE_') if flags else []
        if flags == ['REGISTER_OPERATIONS']:
            flags = names(macros['QUIRE_REGISTER_OPERATIONS'], {}, 'QUIRE_')
        yield (opcodes[name], re.sub('^QUIRE_(OP|COMMAND)_', '', name),
               f'{fixed} and more' if '.tail = true' in row else str(fixed),
               ('one of ' if '.one_flag = true' in row else '') + ', '.join(flags),
               ', '.join(dict.fromkeys(names(faults.group(1), macros, 'QUIRE_FAULT_')
                                       if faults else [])))


def table():
    lines = [BEGIN, '\n', '.. list-table::\n', '   :header-rows: 1\n',
             '   :widths: 8 18 12 31 31\n', '\n']
    for row in [('Opcode', 'Name', 'Bytes', 'Flags', 'Faults'), *rows()]:
        cells = [f'0x{cell:02x}' if isinstance(cell, int) else cell for cell in row]
        lines += [f'   {"*" if i == 0 else " "} - {cell}'.rstrip() + '\n'
                  for i, cell in enumerate(cells)]
    return ''.join(lines + ['\n', END])


def print_head():
    with open(__file__, encoding='utf-8') as file:
        head = file.read().split('#\n', 1)[1].split('\n\n', 1)[0]
    print(re.sub(r'^# ?', '', head, flags=re.MULTILINE))


def main(args):
    if args[:1] in (['--help'], ['-h']):
        print_head()
        return 0
    if args not in ([], ['--write']):
        print(f"packets.py: '{' '.join(args)}' is unknown; see tools/lint/packets.py --help")
        return 1
    document = read(DOCUMENT)
    begin, end = document.find(BEGIN), document.find(END)
    if begin < 0 or end < 0:
        print(f'{DOCUMENT}: there is no table of packets')
        return 1
    new = document[:begin] + table() + document[end + len(END):]
    if new == document:
        return 0
    if args:
        with open(DOCUMENT, 'w', encoding='utf-8') as file:
            file.write(new)
        return 0
    print(f'{DOCUMENT}: the table of packets differs from {ROWS}: tools/lint/packets.py --write')
    return 1


sys.exit(main(sys.argv[1:]))
