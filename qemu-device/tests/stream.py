#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A stream of an earlier minor version can be loaded for ever: what stands in one of the
# records beside this script (stream-MAJOR.MINOR) is sent and expected as it stands there. State
# that a later version adds has a subsection of its own. Prints TAP.
#
#   stream.py EMULATOR            compare with all records
#   stream.py EMULATOR --record   print a record of this emulator's device

import glob
import json
import os
import subprocess
import sys
import tempfile

DEVICE = ['-machine', 'q35', '-m', '32M', '-accel', 'tcg', '-S', '-nodefaults', '-display', 'none',
          '-device', 'quire,vram-size=1M,aperture-size=1M,mmu-size=1M,execution-rings=0']


def saved(emulator, path):
    """The description of an idle device that ends a stream: each of its fields."""
    with subprocess.Popen([emulator, *DEVICE, '-qmp', 'stdio'], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as qemu:
        def ask(command, **arguments):
            print(json.dumps({'execute': command, 'arguments': arguments}),
                  file=qemu.stdin, flush=True)
            for line in qemu.stdout:
                answer = json.loads(line)
                if 'return' in answer or 'error' in answer:
                    return answer['return']
            sys.exit('the emulator ended')

        ask('qmp_capabilities')
        ask('migrate', uri='file:' + path)
        while (status := ask('query-migrate')['status']) != 'completed':
            if status == 'failed':
                sys.exit('the state can not be saved')
        ask('quit')
    with open(path, 'rb') as stream:
        text = stream.read().decode('latin1')
    at = text.rindex('{"configuration"')
    return json.JSONDecoder().raw_decode(text[at:])[0]['devices']


def fields_sent(name, fields):
    for field in fields:
        inner = field.get('struct')
        what = field['name'].split('[')[0] if inner else field['name']
        of = inner['vmsd_name'] if inner else field['size']
        yield f"{name}: {what} {field['type']} {field.get('array_len', 1)} x {of}"
        # those of QEMU are QEMU's concern
        if inner and inner['vmsd_name'].startswith('quire'):
            yield from fields_sent(inner['vmsd_name'], inner['fields'])


def subsections(description):
    """Those that are seldom sent, as the emulator describes them."""
    for field in description.get('Fields', []):
        if field.get('Description', {}).get('name', '').startswith('quire'):
            yield from subsections(field['Description'])
    for section in description.get('Subsections', []):
        for field in section['Fields']:
            yield f"{section['name']}: {field['field']} {field['size']}"
        yield from subsections(section)


def record(emulator):
    with tempfile.TemporaryDirectory() as folder:
        devices = saved(emulator, folder + '/stream')
        subprocess.run([emulator, '-machine', 'q35', '-dump-vmstate', folder + '/dump'],
                       check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(folder + '/dump', encoding='ascii') as file:
            quire = json.load(file)['quire']
    device = next(d for d in devices if d['vmsd_name'] == 'quire')
    return ((quire['minimum_version_id'], quire['version_id']),
            [*fields_sent('quire', device['fields']), *subsections(quire['Description'])])


def main():
    versions, now = record(sys.argv[1])
    if '--record' in sys.argv:
        print('\n'.join(now))
        return 0
    here = os.path.dirname(os.path.abspath(__file__))
    files = sorted(glob.glob(here + '/stream-*.*[0-9]'))
    bad = not files
    for number, path in enumerate(files, 1):
        with open(path, encoding='ascii') as file:
            old = [line for line in file.read().splitlines() if not line.startswith('#')]
        name = os.path.basename(path)
        minor = int(name.rsplit('.', 1)[1])
        sections = {line.split(':')[0] for line in old}
        kept = [line for line in now if line.split(':')[0] in sections]
        good = old == kept and versions[0] <= minor + 1 <= versions[1]
        bad = bad or not good
        print(f"{'' if good else 'not '}ok {number} - {name} can be loaded")
        for line in old:
            if line not in kept:
                print('#   no longer:', line)
        for line in kept:
            if line not in old:
                print('#   not in a subsection of its own:', line)
        if not good:
            print('#   versions that are loaded: %d to %d' % versions)
    print(f"1..{len(files)}")
    return bad


sys.exit(main())
