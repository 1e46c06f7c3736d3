// The conversation of `atrium onboard`: a model, the page's address, the webhook channel, users, notifications. Each step can
// be skipped and repeated. Nothing is stored before a step is confirmed.
import type { ModelTrial } from '#core/admin.ts'
import { AppError } from '#core/errors.ts'
import { providers } from '#core/providers.ts'
import { printable } from '#safety/printable.ts'
import {
  choiceWords,
  type ModelAnswers,
  type ModelFacts,
  type ModelQuestion,
  nextQuestion,
  providerOptions,
  type Repair,
  repairsOf,
  trialWords,
  withoutAnswer,
} from './onboard-model.ts'
import type { Talk, TalkOption } from './talk.ts'

type Check = (text: string) => string | undefined

/** The effects of the conversation. Reading creates nothing. */
export type OnboardHouse = {
  readonly facts: ModelFacts
  /** The model in use, in words, and whether the environment has chosen it. */
  readonly model: { readonly words: string; readonly fixed: boolean }
  /** Asks a model for one word. Throws the provider's fault. */
  readonly tryModel: (answers: ModelAnswers) => Promise<ModelTrial>
  /** Stores key and choice; returns the outcome in words. */
  readonly storeModel: (answers: ModelAnswers) => Promise<string>
  /** The fault of an address, of a model's name and of a user's name. */
  readonly addressFault: Check
  readonly nameFault: Check
  readonly userFault: Check
  readonly page: { readonly host: string; readonly port: number; readonly fixed: boolean; readonly served: boolean }
  /** True if another program listens on the port. */
  readonly portTaken: (port: number) => Promise<boolean>
  readonly storePort: (port: number) => Promise<void>
  readonly webhook: { readonly on: boolean; readonly file: string }
  /** Makes a secret, writes it to the file of the service's variables, and returns it. */
  readonly storeWebhook: () => string
  readonly users: readonly string[]
  /** Adds a user and returns their token. */
  readonly addUser: (name: string) => Promise<string>
  /** An address of ntfy with a topic that nobody guesses. */
  readonly newTopic: string
  /** Adds a topic of ntfy as a way of notifications. Throws what is wrong with it. */
  readonly addNtfy: (url: string) => Promise<void>
  /** Connects a bot by its token and prints how to pair a chat. Throws what is wrong with the token. */
  readonly connectTelegram: (token: string) => Promise<void>
}

const skip = { value: 'skip', label: 'Skip' } as const
const repairLabels: Readonly<Record<Repair, string>> = {
  key: 'Type the key again',
  name: 'Another model',
  address: 'Another address',
  again: 'Try again',
  provider: 'Another provider',
}

/** Talks through all steps. `given` are the answers of the command line. */
export async function converse(talk: Talk, house: OnboardHouse, given: ModelAnswers = {}): Promise<void> {
  await modelStep(talk, house, given)
  await pageStep(talk, house)
  await webhookStep(talk, house)
  await userStep(talk, house)
  await notifyStep(talk, house)
}

async function modelStep(talk: Talk, house: OnboardHouse, given: ModelAnswers): Promise<void> {
  if (house.model.fixed) return talk.tell(`${house.model.words} answers, by LLM_PROVIDER in the environment.`)
  for (let answers = given; ; ) {
    const question = nextQuestion(answers, house.facts)
    const next = question === 'test' ? await testModel(talk, house, answers) : await ask(question, talk, house, answers)
    if (next === 'skip') return
    if (next === 'store') return talk.tell(await house.storeModel(answers))
    answers = next
  }
}

async function testModel(talk: Talk, house: OnboardHouse, answers: ModelAnswers): Promise<ModelAnswers> {
  try {
    const trial = await talk.during(`Asking ${choiceWords(answers)} for one word`, house.tryModel(answers))
    talk.tell(printable(trialWords(trial)))
    return { ...answers, outcome: { trial } }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    talk.warn(printable(error.message, { lines: true }))
    return { ...answers, outcome: { fault: error.code } }
  }
}

async function ask(
  question: Exclude<ModelQuestion, 'test'>,
  talk: Talk,
  house: OnboardHouse,
  answers: ModelAnswers,
): Promise<ModelAnswers | 'skip' | 'store'> {
  const { facts } = house
  const nothing = { ...skip, hint: `${house.model.words} stays` }
  switch (question) {
    case 'provider': {
      const options = [...providerOptions(facts), nothing]
      const chosen = await talk.choose(`Which model should answer? Now: ${house.model.words}.`, options)
      return chosen === 'skip' ? 'skip' : { provider: chosen }
    }
    case 'address': {
      const initial = 'http://127.0.0.1:8000/v1'
      const baseUrl = await talk.text('Address of the server, with its version', { initial, check: house.addressFault })
      return { ...answers, baseUrl }
    }
    case 'key':
      return askKey(talk, facts, answers, nothing)
    case 'name':
      return askName(talk, house, answers, nothing)
    case 'repair': {
      const options = repairsOf(answers, facts).map((value) => ({ value, label: repairLabels[value] }))
      const what = await talk.choose<Repair | 'skip'>('What now?', [...options, nothing])
      return what === 'skip' ? what : withoutAnswer(answers, what)
    }
    case 'confirm': {
      const what = await talk.choose<'store' | 'name' | 'provider' | 'skip'>(
        `Use ${printable(choiceWords(answers))} from now on?`,
        [
          { value: 'store', label: 'Yes' },
          ...(answers.provider === 'offline' ? [] : [{ value: 'name', label: 'Another model' } as const]),
          { value: 'provider', label: 'Another provider' },
          nothing,
        ],
      )
      return what === 'skip' || what === 'store' ? what : withoutAnswer(answers, what)
    }
    default:
      return question satisfies never
  }
}

async function askKey(
  talk: Talk,
  { sealedKeys }: ModelFacts,
  answers: ModelAnswers,
  nothing: TalkOption<'skip'>,
): Promise<ModelAnswers | 'skip'> {
  const { keys, keyed, words } = providers[answers.provider ?? 'offline']
  const known = keys.find((key) => sealedKeys.includes(key))
  const options: TalkOption<'kept' | 'type' | 'skip'>[] = [
    ...(known === undefined ? [] : [{ value: 'kept', label: `Use the stored ${known}` } as const]),
    { value: 'type', label: 'Type a key', hint: 'it is not shown, and stored encrypted' },
    ...(keyed || known !== undefined ? [] : [{ value: 'kept', label: 'It needs no key' } as const]),
    nothing,
  ]
  const what = await talk.choose(
    `The key for ${answers.provider === 'openai-compatible' ? 'this server' : words}`,
    options,
  )
  if (what === 'skip') return 'skip'
  return { ...answers, key: what === 'kept' ? 'kept' : { typed: await talk.secret('Key') } }
}

async function askName(
  talk: Talk,
  { facts, nameFault }: OnboardHouse,
  answers: ModelAnswers,
  nothing: TalkOption<'skip'>,
): Promise<ModelAnswers | 'skip'> {
  const { provider = 'offline' } = answers
  const installed = provider === 'ollama' ? (facts.ollama ?? []) : []
  if (installed.length > 0) {
    const options = installed.map((value) => ({ value, label: printable(value) }))
    const name = await talk.choose<string>('Which model?', [...options, nothing])
    return name === 'skip' ? 'skip' : { ...answers, name }
  }
  const initial = providers[provider].model
  const check: Check = (name) => (name === '' ? 'Name a model that the server has.' : nameFault(name))
  return { ...answers, name: await talk.text('Which model?', { ...(initial !== undefined && { initial }), check }) }
}

async function pageStep(talk: Talk, { page, portTaken, storePort }: OnboardHouse): Promise<void> {
  const url = (port: number | string): string => `http://${page.host}:${port}/`
  if (page.served) return
  if (page.fixed) return talk.tell(`The page will be at ${url(page.port)}, by GATEWAY_PORT.`)
  const taken = await portTaken(page.port)
  if (taken) talk.warn(`Another program listens on port ${page.port}.`)
  const what = await talk.choose<'port' | 'skip'>(`The page of the service will be at ${url(page.port)}`, [
    ...(taken ? [] : [{ ...skip, hint: 'keep this address' }]),
    { value: 'port', label: 'Another port' },
    ...(taken ? [{ ...skip, hint: 'keep this address, and free it before the start' }] : []),
  ])
  if (what === 'skip') return
  const port = await talk.text('Port', { check: portFault })
  await storePort(Number(port))
  talk.tell(`The page will be at ${url(port)}`)
}

function portFault(text: string): string | undefined {
  const isPort = /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535
  return isPort ? undefined : 'A port is a number from 1 to 65535.'
}

async function webhookStep(talk: Talk, { webhook, storeWebhook }: OnboardHouse): Promise<void> {
  if (webhook.on) return talk.tell('The webhook channel is on, by HTTP_WEBHOOK_SECRET.')
  const what = await talk.choose<'make' | 'skip'>('A webhook channel, for signed messages of other programs?', [
    { ...skip, hint: 'it stays off' },
    { value: 'make', label: 'Make a secret for it', hint: `in ${webhook.file}` },
  ])
  if (what === 'skip') return
  const secret = storeWebhook()
  const rest = '`atrium service install` reads this file; for a start by hand, set the variable yourself.'
  talk.tell(`HTTP_WEBHOOK_SECRET=${secret}\nis in ${webhook.file}. ${rest}`)
}

async function userStep(talk: Talk, house: OnboardHouse): Promise<void> {
  for (const names = new Set(house.users); ; ) {
    const known = names.size === 0 ? 'You are the operator.' : `Users: ${printable([...names].join(', '))}.`
    const what = await talk.choose<'add' | 'skip'>(`${known} Add a user?`, [
      { ...skip, hint: names.size === 0 ? 'you alone' : 'no more' },
      { value: 'add', label: 'Add a user', hint: 'with threads, documents and a token of their own' },
    ])
    if (what === 'skip') return
    const check: Check = (name) => (names.has(name) ? 'This user is here already.' : house.userFault(name))
    const name = await talk.text('Name', { check })
    const token = await house.addUser(name)
    names.add(name)
    talk.tell(`The token of ${name}, shown once:\n${token}`)
  }
}

async function notifyStep(talk: Talk, house: OnboardHouse): Promise<void> {
  for (;;) {
    const what = await talk.choose<'ntfy' | 'telegram' | 'skip'>('Be told when something waits for you?', [
      { ...skip, hint: 'the page can also notify you, by its settings' },
      { value: 'ntfy', label: 'By ntfy', hint: 'on a phone, without an account' },
      { value: 'telegram', label: 'By a Telegram bot', hint: 'which also chats; with the token of @BotFather' },
    ])
    if (what === 'skip') return
    try {
      if (what === 'telegram') await house.connectTelegram(await talk.secret('Token of the bot'))
      else await house.addNtfy(await talk.text('Address of the topic', { initial: house.newTopic, check: urlFault }))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      talk.warn(printable(error.message))
    }
  }
}

function urlFault(text: string): string | undefined {
  return URL.canParse(text) ? undefined : 'An address begins with https://'
}
