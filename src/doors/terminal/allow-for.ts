// The "Allow for…" form of the approval dialog: scope, duration, and whether the grant also applies after text from
// outside. The narrowest option of each is preselected.
import { matchesKey, visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui'
import type { Scope } from '#core/question.ts'
import type { GrantRequest } from '#safety/grant-rules.ts'
import { printable } from '#safety/printable.ts'
import type { Theme } from './theme.ts'

const spans = ['hour', 'day', 'good'] as const
const spanWords = { hour: '1 hour', day: '1 day', good: 'until revoked' } as const

export interface AllowFor {
  press(data: string): void
  render(width: number): string[]
  grantRequest(): GrantRequest
}

/** `scopes` are the scopes that the gate offers. */
export function createAllowFor(name: string, scopes: readonly Scope[], theme: Theme): AllowFor {
  const tool = printable(name)
  let scope = 0
  let span = 0
  let untrusted = false

  const isCleanOnly = (): boolean => scopes[scope]?.clean === true
  const grantRequest = () =>
    ({
      for: spans[span] ?? 'hour',
      scope: scopes[scope]?.scope ?? 'tool',
      untrusted: untrusted && !isCleanOnly(),
    }) satisfies GrantRequest

  return {
    grantRequest,
    press(data) {
      if (matchesKey(data, 'right')) span = Math.min(spans.length - 1, span + 1)
      if (matchesKey(data, 'left')) span = Math.max(0, span - 1)
      if (matchesKey(data, 'down')) scope = Math.min(scopes.length - 1, scope + 1)
      if (matchesKey(data, 'up')) scope = Math.max(0, scope - 1)
      if (matchesKey(data, 'space') && !isCleanOnly()) untrusted = !untrusted
    },
    render(width) {
      const { for: end } = grantRequest()
      const target = scopes[scope]?.target
      const what = target === undefined ? `every ${tool}` : `${tool} with ${printable(target)}`
      const pick = spans.map((each) => (each === end ? theme.chosen(` ${spanWords[each]} `) : ` ${spanWords[each]} `))
      const keys = theme.dim(scopes.length > 1 ? '←→ how long  ↑↓ for what' : '←→ how long')
      const first = `${pick.join('  ')}   ${keys}`
      const box = (words: string): string => `${untrusted ? '[x]' : '[ ]'} also ${words}  ${theme.dim('Space')}`
      const all = box('when the turn has read untrusted content')
      return [
        ...(visibleWidth(first) > width ? [pick.join(' '), keys] : [first]),
        ...(isCleanOnly() ? [] : [visibleWidth(all) > width ? box('untrusted content') : all]),
        ...wrapTextWithAnsi(`Enter: allow ${what}, ${end === 'good' ? '' : 'for '}${spanWords[end]}`, width),
      ]
    },
  }
}
