// Faults of the start: the launcher's choice between bundle and sources, and the making of the bundle.
import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    says: 'the bundle runs although a source is newer',
    file: 'bin/atrium',
    from: '&& [ -z "$newer" ] &&',
    to: '&&',
    tests: ['test/launcher.test.ts'],
  },
  {
    says: 'the bundle runs where nothing can tell whether it is fresh',
    file: 'bin/atrium',
    from: ') && [ -z',
    to: '); [ -z',
    tests: ['test/launcher.test.ts'],
  },
  {
    says: 'sources behind a link are not looked at',
    file: 'bin/atrium',
    from: '"$root/src/"',
    to: '"$root/src"',
    tests: ['test/launcher.test.ts'],
  },
  {
    says: 'the bundle never runs',
    file: 'bin/atrium',
    from: '&& main=$bundle',
    to: '&& :',
    tests: ['test/launcher.test.ts'],
  },
  {
    says: 'a new bundle takes the old one from under a running service',
    file: 'tools/bundle.ts',
    from: ' || name === before',
    to: '',
    tests: ['test/bundle.test.ts'],
  },
  {
    says: 'bundles pile up',
    file: 'tools/bundle.ts',
    from: 'rmSync(join(dist, name), { recursive: true, force: true })',
    to: '',
    tests: ['test/bundle.test.ts'],
  },
  {
    says: 'a file found by its place is looked for elsewhere',
    file: 'src/lib/place.ts',
    from: "'..', '..')",
    to: "'..')",
    tests: ['test/bundle.test.ts'],
  },
  {
    says: 'an installation fails when no bundle can be written',
    file: 'tools/prepare.mjs',
    from: 'console.log(`no bundle',
    to: 'throw new Error(`no bundle',
    tests: ['test/bundle.test.ts'],
  },
  {
    says: 'every process strips the types of the code that its tools run',
    file: 'src/sandbox/build/runtime.ts',
    from: '  if (!existsSync(folder)) {',
    to: '  {',
    tests: ['test/sandbox/build/runtime.test.ts'],
  },
  {
    says: 'a start reads eighty files of the bundle',
    file: 'tools/bundle.ts',
    from: 'codeSplitting: { groups: pieces },',
    to: '',
    tests: ['test/bundle.test.ts'],
  },
  {
    says: 'a start loads what only a command of the shell needs',
    file: 'src/tools/workspace/shell.ts',
    from: "import type { ChildProcess } from 'node:child_process'",
    // Used, or the bundler would leave it out.
    to: "import { type ChildProcess, spawn as early } from 'node:child_process'\nprocess.once('spawn', early)",
    tests: ['test/bundle.test.ts'],
  },
]
