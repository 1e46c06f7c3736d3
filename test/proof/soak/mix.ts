// The mixed load: one operation after the other from a fixed round, so that each part of a run has the same of each.
import { chat, chatSend, type Message } from '../doors/chat.ts'
import { complete, completeStreaming } from '../doors/completions.ts'
import { decide } from '../doors/gates.ts'
import { read, write } from '../doors/memory.ts'
import { mission } from '../doors/missions.ts'
import { readLists, readThread } from '../doors/reads.ts'
import { respond, respondStreaming } from '../doors/responses.ts'
import { socket } from '../doors/socket.ts'
import { fork, remove } from '../doors/threads.ts'
import { pollJob, webhook } from '../doors/webhook.ts'
import { markOf, type Task } from '../history.ts'
import { send } from '../request.ts'
import type { Person, World } from '../world.ts'

type Operation = (world: World, person: Person, op: number) => Promise<void>
type Step = { readonly name: string; readonly run: Operation; readonly timed?: true; readonly fails?: true }

/** What a client remembers of the past: enough to go on from. */
const maxKnown = 50

/** Every kind of operation, as often as it comes in a round. */
export const round: readonly Step[] = [
  timed('response', respond, 'say'),
  timed('streamed response', respondStreaming, 'say'),
  step('webhook', say(webhook, 'say')),
  timed('completion', complete, 'say'),
  step('live connection', say(socket, 'say')),
  timed('response with a tool', respond, 'look'),
  step('document written', write),
  timed('streamed completion', completeStreaming, 'say'),
  step('chat', say(chat, 'say')),
  timed('streamed response with a component', respondStreaming, 'component'),
  step('job polled', pollJob),
  step('search', search),
  step('message without waiting', say(chatSend, 'say')),
  step('webhook', say(webhook, 'look')),
  timed('streamed response', respondStreaming, 'say'),
  step('approval', approve),
  step('fork', fork),
  step('live connection', say(socket, 'look')),
  step('document read', read),
  timed('completion with a tool', complete, 'look'),
  step('thread read', readThread),
  step('thread deleted', remove),
  step('live connection', say(socket, 'component')),
  step('mission', say(mission, 'say')),
  { name: 'turn that fails', run: say(respond, 'break'), fails: true },
  step('lists', readLists),
]

/** Of the first so many operations, those whose turn is meant to fail. The model lets some of them succeed. */
export function countMeantToFail(operations: number): number {
  return Array.from({ length: operations }, (_, op) => round[op % round.length]).filter((each) => each?.fails).length
}

/** Does one operation. Returns its time if its end is the end of a turn. */
export async function operate(world: World, person: Person, op: number): Promise<number | undefined> {
  const { run, timed: counts } = round[op % round.length] as Step
  const began = performance.now()
  await run(world, person, op)
  for (const known of [person.threads, person.responses, person.histories, person.jobs, person.sent])
    known.splice(0, known.length - maxKnown)
  return counts ? performance.now() - began : undefined
}

function step(name: string, run: Operation): Step {
  return { name, run }
}

type Saying = (world: World, person: Person, message: Message) => Promise<void>

function timed(name: string, saying: Saying, task: Task): Step {
  return { name, run: say(saying, task), timed: true }
}

function say(saying: Saying, task: Task): Operation {
  return (world, person, op) => saying(world, person, { op, task })
}

/** A payment in a thread of its own, since messages behind it would wait, and its approval. */
async function approve(world: World, person: Person, op: number): Promise<void> {
  const others = person.threads.splice(0)
  await chat(world, person, { op, task: 'pay' })
  person.threads.splice(0, person.threads.length, ...others)
  await decide(world, person)
}

/** GET /api/memory?q=: finds the documents that `write` writes. */
async function search(world: World, person: Person): Promise<void> {
  await send(world, person, () => `${world.site.gateway()}/api/memory?q=written+${markOf(person.name)}&limit=5`)
}
