#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Do the folders of a part of the project stand on one another as its list says?
#
# Usage: layers.py LIST [OBJECTS]      OBJECTS: where it was built, NAME.o or PREFIX-NAME.o for NAME.c
#
# LIST is a text beside the folders: one a line, bottom first, with a space and what it is for behind
# its name. A file may include files of its own folder and of those before it; objects may have
# undefined symbols that these define, and there is no circle among objects, either. Prints the order,
# and above it what does not hold: exit status 1.

import os
import re
import subprocess
import sys


def read_order(path):
    with open(path, encoding='utf-8') as file:
        lines = [line.split(None, 1) for line in file if line.strip() and line[0] != '#']
    return {name: text.strip() for name, text in lines}


def sources(top, order):
    """Files of the listed folders, by their paths from the top."""
    return sorted(os.path.join(folder, name) for folder in order
                  for name in os.listdir(os.path.join(top, folder)) if name.endswith(('.c', '.h')))


def find_included(path, name, files):
    """The file of the project that an include names, or None."""
    for candidate in (name, os.path.join(os.path.dirname(path), name)):
        candidate = os.path.normpath(candidate)
        if candidate in files:
            return candidate
    return None


def check_includes(top, files, rank):
    known = set(files)
    for path in files:
        with open(os.path.join(top, path), encoding='utf-8') as file:
            names = re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.read(), re.M)
        for name in names:
            included = find_included(path, name, known)
            if included and rank[os.path.dirname(included)] > rank[os.path.dirname(path)]:
                yield f'{path} includes {included}, of a folder above it'


def find_objects(objects):
    found = {}
    for folder, _, names in os.walk(objects):
        for name in names:
            if name.endswith('.o'):
                path = os.path.join(folder, name)
                found.setdefault(name[:-2].split('-')[-1], []).append(path)
    return found


def object_of(path, found):
    """The object of a source: of several with its name, the one in a folder called the same."""
    name, folder = os.path.basename(path)[:-2], os.path.dirname(path)
    of_name = found.get(name, [])
    same = [obj for obj in of_name if os.path.basename(os.path.dirname(obj)) == folder]
    return (same or of_name or [None])[0]


def read_symbols(obj):
    """What an object defines for others, and what it needs."""
    out = subprocess.run(['nm', '-g', obj], capture_output=True, text=True, check=True).stdout
    defined, needed = set(), set()
    for line in out.splitlines():
        words = line.split()
        if words[-2] in 'Uw':
            needed.add(words[-1])
        else:
            defined.add(words[-1])
    return defined, needed


def read_graph(files, objects):
    """For each source: the sources whose symbols it needs, with these symbols."""
    found = find_objects(objects)
    symbols = {}
    for path in files:
        if path.endswith('.c'):
            obj = object_of(path, found)
            if not obj:
                raise SystemExit(f'layers: {path} was not built in {objects}')
            symbols[path] = read_symbols(obj)
    owner = {name: path for path, (defined, _) in symbols.items() for name in defined}
    graph = {}
    for path, (_, needed) in symbols.items():
        graph[path] = {}
        for name in needed:
            if owner.get(name, path) != path:
                graph[path].setdefault(owner[name], []).append(name)
    return graph


def check_symbols(graph, rank):
    for path, uses in sorted(graph.items()):
        for used, names in sorted(uses.items()):
            if rank[os.path.dirname(used)] > rank[os.path.dirname(path)]:
                yield f'{path} uses {", ".join(sorted(names))} of {used}, of a folder above it'


def circles(graph):
    """The sets of sources that use one another (Tarjan's algorithm)."""
    index, low, stack, found = {}, {}, [], []

    def visit(path):
        index[path] = low[path] = len(index)
        stack.append(path)
        for used in graph[path]:
            if used not in index:
                visit(used)
                low[path] = min(low[path], low[used])
            elif used in stack:
                low[path] = min(low[path], index[used])
        if low[path] == index[path]:
            at = stack.index(path)
            found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for path in graph:
        if path not in index:
            visit(path)
    return [circle for circle in found if len(circle) > 1]


def print_head():
    with open(__file__, encoding='utf-8') as file:
        head = file.read().split('#\n', 1)[1].split('\n\n', 1)[0]
    print(re.sub(r'^# ?', '', head, flags=re.MULTILINE))


def main(args):
    if args[:1] in (['--help'], ['-h']):
        print_head()
        return 0
    if len(args) not in (1, 2) or not os.path.isfile(args[0]):
        sys.exit(f"layers.py: '{' '.join(args)}' is no list of layers; see tools/lint/layers.py --help")
    top = os.path.dirname(os.path.abspath(args[0]))
    order = read_order(args[0])
    rank = {folder: i for i, folder in enumerate(order)}
    files = sources(top, order)
    wrong = list(check_includes(top, files, rank))
    if len(args) == 2:
        graph = read_graph(files, args[1])
        wrong += check_symbols(graph, rank)
        wrong += ('use one another: ' + ', '.join(circle) for circle in circles(graph))
    print('\n'.join(wrong + [f'{i:2} {folder:12} {order[folder]}'
                             for i, folder in enumerate(order, 1)]))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
