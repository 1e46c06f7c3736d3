// `atrium grants`: lists the operator's grants (permissions beyond one call) and revokes them.
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { grantWire } from '#http/wire-format.ts'
import { printable } from '#safety/printable.ts'
import { askService } from './running-service.ts'
import { listedBy, print, say, table } from './report.ts'
import { withStore } from './home-store.ts'

export function listGrants(options: { json?: boolean }): Promise<void> {
  return withStore(async ({ grants }) => {
    const listed = (await grants.list(operator)).map(grantWire)
    const cells = listed.map(({ id, user, tool, target, expires_at }) =>
      [id, user, tool, target ?? 'any', expires_at ?? 'never expires'].map((cell) => printable(cell)),
    )
    const text = listed.length > 0 ? table([['GRANT', 'USER', 'TOOL', 'TARGET', 'UNTIL'], ...cells]) : 'No grants.'
    print(options, listed, text)
  })
}

/** Revokes a grant; running turns ask again at their next call. */
export async function revokeGrant(id: string): Promise<void> {
  const reply = await listedBy('atrium grants', () => askService('/grants/remove', { id }))
  const removed = reply ?? (await withStore(({ grants }) => grants.remove(operator, id)))
  if (!removed) throw new AppError('not_found', `no grant has the id ${id}: see \`atrium grants\``)
  say('Revoked.')
}
