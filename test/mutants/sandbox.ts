// Faults of the components: their names, their rights, their processes.
import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    says: 'a component may have the name of a built-in tool',
    file: 'src/core/tool-names.ts',
    from: 'if (ownNames.includes(key))',
    to: 'if (ownNames.includes(name))',
    tests: ['test/commands/tool.test.ts'],
  },
  {
    says: 'a component may take a name that is kept for the workspace',
    file: 'src/core/tool-names.ts',
    from: "[...agentPrefixes, 'workspace_']",
    to: '[...agentPrefixes]',
    tests: ['test/sandbox/tool.test.ts'],
  },
  {
    says: 'the last tool of a name takes it from the first',
    file: 'src/hall/tools.ts',
    from: 'if (kept.has(key)) log.error',
    to: 'if (kept.size < 0) log.error',
    tests: ['test/hall/tools.test.ts'],
  },
  {
    says: 'a tool is built anew at each reload',
    file: 'src/sandbox/source.ts',
    from: 'if (before && sameTool(before.record, record)) return before.tools',
    to: '',
    tests: ['test/hall/tools.test.ts'],
  },
  {
    says: 'a tool that was removed goes on for turns that began with it',
    file: 'src/sandbox/source.ts',
    from: 'if (!built.has(name)) throw',
    to: "if (name === '') throw",
    tests: ['test/hall/tools.test.ts'],
  },
  {
    says: 'new code runs with the rights of the old',
    file: 'src/sandbox/source.ts',
    from: 'if (sha256 !== record.sha256) throw',
    to: "if (sha256 === '') throw",
    tests: ['test/hall/tools.test.ts'],
  },
  {
    says: 'a shipped tool that was removed comes back',
    file: 'src/hall/shipped.ts',
    from: 'known !== undefined) return undefined',
    to: 'false) return undefined',
    tests: ['test/hall/shipped.test.ts'],
  },
  {
    says: 'an update widens access where nobody was asked',
    file: 'src/commands/tool.ts',
    from: 'if (!old) return true',
    to: 'return true',
    tests: ['test/commands/tool.test.ts'],
  },
  {
    says: 'tool test refuses what is not JSON before the component sees it',
    file: 'src/sandbox/supervisor/sandbox.ts',
    from: 'const { outcome, logs, traffic } = await call(tool, request)',
    to: 'checkJson(request.params)\n      const { outcome, logs, traffic } = await call(tool, request)',
    tests: ['test/commands/tool.test.ts'],
  },
]
