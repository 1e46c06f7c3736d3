// The operations of a run: each client chooses its next one by its own dice.
import { chat, chatSend, type Message } from './doors/chat.ts'
import { complete, completeStreaming } from './doors/completions.ts'
import { askCompletions, askResponses } from './doors/functions.ts'
import { decide } from './doors/gates.ts'
import { read, write } from './doors/memory.ts'
import { mission } from './doors/missions.ts'
import { readForeign, readLists, readThread, readTurn } from './doors/reads.ts'
import { respond, respondStreaming } from './doors/responses.ts'
import { socket } from './doors/socket.ts'
import { fork, remove, stop } from './doors/threads.ts'
import { pollJob, webhook } from './doors/webhook.ts'
import type { Task } from './history.ts'
import { loopsAt } from './hostile-calls.ts'
import type { Dice, Person, World } from './world.ts'

type Saying = (world: World, person: Person, message: Message) => Promise<void>
type Doing = (
  world: World,
  person: Person,
  at: { readonly op: number; readonly all: readonly Person[] },
) => Promise<void>

/** How often each is chosen, in comparison with the others. */
type Weighted<T> = readonly (readonly [weight: number, T])[]

const doors: Weighted<Saying> = [
  [3, chat],
  [4, chatSend],
  [3, respond],
  [4, respondStreaming],
  [4, webhook],
  [2, complete],
  [2, completeStreaming],
  [4, socket],
  [1, mission],
  [2, askResponses],
  [1, askCompletions],
]
/** The chat can wait for a person. */
const asksPerson: ReadonlySet<Saying> = new Set([chat, chatSend, socket])
const tasks: Weighted<Task> = [
  [12, 'say'],
  [4, 'look'],
  [3, 'pay'],
  [1, 'break'],
  [2, 'use'],
  [1, 'rowdy'],
]
const others: Weighted<Doing> = [
  [5, readThread],
  [5, readTurn],
  [3, pollJob],
  [6, decide],
  [3, readForeignOf],
  [1, readLists],
  [2, fork],
  [1, remove],
  [1, stop],
  [4, (world, person, { op }) => write(world, person, op)],
  [6, read],
]
/** Of a hundred operations, so many are messages. */
const percentMessages = 65

/** Does the next operation of a person. */
export async function operate(world: World, person: Person, all: readonly Person[], op: number): Promise<void> {
  const { dice } = person
  if (loopsAt(op)) return chatSend(world, person, { op, task: 'rowdy' })
  if (dice.below(100) >= percentMessages) return choose(dice, others)(world, person, { op, all })
  const say = choose(dice, doors)
  const task = choose(dice, tasks)
  return say(world, person, { op, task: task === 'pay' && !asksPerson.has(say) ? 'look' : task })
}

function readForeignOf(world: World, person: Person, { all }: { readonly all: readonly Person[] }): Promise<void> {
  const other = person.dice.pick(all.filter(({ name }) => name !== person.name))
  return other ? readForeign(world, person, other) : Promise.resolve()
}

function choose<T>(dice: Dice, from: Weighted<T>): T {
  let left = dice.below(from.reduce((sum, [weight]) => sum + weight, 0))
  for (const [weight, each] of from) {
    if (left < weight) return each
    left -= weight
  }
  throw new Error('nothing to choose from')
}
