// Progress of long commands: a line that is drawn over itself on a terminal, lines of their own elsewhere.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createProgress } from '#commands/progress-line.ts'

function progressOn({ isTTY }: { isTTY: boolean }) {
  let [ms, written] = [0, '']
  const stream = { isTTY, write: (text: string) => ((written += text), true) }
  const progress = createProgress({ stream, now: () => ms })
  return {
    ...progress,
    showAt(at: number, what: string, share?: number) {
      ms = at
      progress.show(what, share)
    },
    take: () => [written, (written = '')][0],
  }
}

describe('progress', () => {
  test('on a terminal, the line is drawn over itself and removed at the end', () => {
    const progress = progressOn({ isTTY: true })
    progress.showAt(0, 'restoring', 0.07)
    progress.showAt(99, 'restoring', 0.08)
    progress.showAt(100, 'counting')
    assert.equal(progress.take(), '\r\u001b[K  7 %  restoring\r\u001b[Kcounting')
    progress.end()
    assert.equal(progress.take(), '\r\u001b[K')
  })

  test('elsewhere, a line follows every five seconds, and a short command writes none', () => {
    const progress = progressOn({ isTTY: false })
    progress.showAt(0, 'restoring', 0)
    progress.showAt(4_999, 'restoring', 0.3)
    assert.equal(progress.take(), '')
    progress.showAt(5_000, 'restoring', 0.31)
    progress.showAt(9_999, 'restoring', 0.6)
    progress.showAt(10_000, 'counting')
    progress.end()
    assert.equal(progress.take(), ' 31 %  restoring …\ncounting …\n')
  })
})
