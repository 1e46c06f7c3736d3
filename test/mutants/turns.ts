// Faults of running, handing over and removing turns.
import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    says: 'a process that lost its lease goes on with what it runs',
    file: 'src/turns/runner.ts',
    from: '      for (const { controller } of running.values()) controller.abort(reason)\n',
    to: '',
    tests: ['test/turns/handover.test.ts'],
  },
  {
    says: 'nobody takes up what a lost process left',
    file: 'src/turns/keeper.ts',
    from: 'const taken = await store.turns.recover(held)',
    to: 'const taken = 0',
    tests: ['test/turns/handover.test.ts'],
  },
  {
    says: 'a process that stops keeps its lease',
    file: 'src/turns/keeper.ts',
    from: '      await store.leases\n        .leave(held)\n        .catch(',
    to: '      await Promise.resolve()\n        .catch(',
    tests: ['test/turns/handover.test.ts'],
  },
  {
    says: 'a drain does not wait for the claim that is under way',
    file: 'src/turns/claim.ts',
    from: '      stopped = true\n      await claiming\n',
    to: '      stopped = true\n',
    tests: ['test/turns/handover.test.ts'],
  },
  {
    says: 'a wake during a claim is forgotten',
    file: 'src/turns/claim.ts',
    from: '        if (wokenAgain) wake()\n',
    to: '',
    tests: ['test/turns/turns.test.ts', 'test/turns/cancel.test.ts'],
  },
  {
    says: 'a failed turn leaves its calls open',
    file: 'src/turns/runner.ts',
    from: 'drafts: closing(history?.items ?? [])',
    to: 'drafts: closing([])',
    tests: ['test/turns/handover.test.ts'],
  },
  {
    says: 'a gate that cannot expire is passed over in silence',
    file: 'src/turns/expiry.ts',
    from: "        if (!(error instanceof AppError && error.code === 'no_open_gate')) throw error\n",
    to: '        void error\n',
    tests: ['test/turns/expiry.test.ts'],
  },
  {
    says: 'a full runner takes what somebody waits for and lets them wait',
    file: 'src/turns/turns.ts',
    from: "if (given.door !== 'webhook' && runner.full(starting)) throw overloaded()",
    to: '',
    tests: ['test/turns/turns.test.ts'],
  },
  {
    says: 'starts at once all find the same place free',
    file: 'src/turns/runner.ts',
    from: 'return running.size + starting >= parts.maxRunning',
    to: 'return running.size >= parts.maxRunning',
    tests: ['test/turns/turns.test.ts'],
  },
  {
    says: 'a removed user keeps what runs',
    file: 'src/turns/removal.ts',
    from: '    if (bus) for (const turn of unfinished) tellErased(bus, turn)\n',
    to: '',
    tests: ['test/turns/removal.test.ts'],
  },
  {
    says: 'a step is not tried again while the database is away',
    file: 'src/turns/retry.ts',
    from: 'if (!isAway(error) || patience.over()) throw error',
    to: 'throw error',
    tests: ['test/turns/runner.test.ts'],
  },
]
