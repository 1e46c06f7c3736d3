// A message that begins with `/name`: the skill of that name is loaded with it, as if the agent had done so first.
import { AppError } from '#core/errors.ts'
import { newCallId, type UserId } from '#core/ids.ts'
import type { Item } from '#core/item.ts'
import type { Skills } from './skills.ts'
import { loadedOf, loadToolName } from './tools.ts'

/** The items that follow the message: a call and its result. None for an ordinary message. */
export async function loadTyped(skills: Pick<Skills, 'load'>, user: UserId, text: string): Promise<readonly Item[]> {
  const name = /^\/([a-z0-9-]{1,64})(?:\s|$)/.exec(text)?.[1]
  if (name === undefined) return []
  try {
    const { text: output, skill, origin } = await skills.load(user, name)
    const callId = newCallId()
    return [
      { type: 'call', callId, name: loadToolName, args: JSON.stringify({ name }) },
      {
        type: 'result',
        callId,
        output,
        ...(origin !== undefined && { origin }),
        effects: 'read',
        skill: loadedOf(skill),
      },
    ]
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return []
    throw error
  }
}
