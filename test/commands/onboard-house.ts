// A house to set up and a person who answers, for the tests of `atrium onboard`.
import assert from 'node:assert/strict'
import { AppError } from '#core/errors.ts'
import type { ModelFacts } from '#commands/onboard-model.ts'
import type { OnboardHouse } from '#commands/onboard-talk.ts'
import type { Talk } from '#commands/talk.ts'

export const nothing: ModelFacts = { environmentKeys: [], sealedKeys: [] }
export const trial = {
  model: 'm',
  words: 'ready',
  ms: 210,
  usage: { inputTokens: 9, outputTokens: 1, costUsd: 0.0001 },
}

/** A person who answers in this order; every question and remark is noted. */
export function scriptedTalk(answers: readonly string[]): Talk & { readonly heard: string[]; readonly left: string[] } {
  const [left, heard]: [string[], string[]] = [[...answers], []]
  const next = (question: string): string => {
    heard.push(question)
    return left.shift() ?? assert.fail(`no answer is left for: ${question}`)
  }
  return {
    heard,
    left,
    open: () => {},
    choose: (question, options) => {
      const answer = next(question)
      const found = options.find(({ value }) => value === answer)
      assert(found, `${question} offers ${options.map(({ value }) => value).join(', ')}, not ${answer}`)
      assert(
        options.some(({ value, label, hint }) => value === 'skip' && label === 'Skip' && hint !== undefined),
        `${question} has no Skip that says what stays`,
      )
      return Promise.resolve(found.value)
    },
    text: (question, { check }) => {
      for (;;) {
        const answer = next(question)
        const fault = check(answer)
        if (fault === undefined) return Promise.resolve(answer)
        heard.push(fault)
      }
    },
    secret: (question) => Promise.resolve(next(question)),
    during: (words, work) => {
      heard.push(words)
      return work
    },
    tell: (words) => void heard.push(words),
    warn: (words) => void heard.push(words),
    close: () => {},
  }
}

/** A house in which the key `right` works; it notes what is stored. */
export function fakeHouse(over: Partial<OnboardHouse> = {}): OnboardHouse & { readonly stored: string[] } {
  const stored: string[] = []
  return {
    facts: nothing,
    model: { words: 'offline', fixed: false },
    tryModel: ({ key }) =>
      typeof key === 'object' && key.typed !== 'right'
        ? Promise.reject(new AppError('model_unauthorized', 'openai refused the API key: Incorrect API key provided'))
        : Promise.resolve(trial),
    storeModel({ provider, name }) {
      stored.push(`model ${provider} ${name}`)
      return Promise.resolve('stored')
    },
    addressFault: () => undefined,
    nameFault: () => undefined,
    userFault: () => undefined,
    page: { host: '127.0.0.1', port: 3000, fixed: false, served: false },
    portTaken: () => Promise.resolve(false),
    storePort: (port) => Promise.resolve(void stored.push(`port ${port}`)),
    webhook: { on: false, file: '/nowhere/atrium.env' },
    storeWebhook() {
      stored.push('webhook')
      return 'a-secret'
    },
    users: [],
    addUser(name) {
      stored.push(`user ${name}`)
      return Promise.resolve('a-token')
    },
    newTopic: 'https://ntfy.sh/atrium-1',
    addNtfy: (url) => Promise.resolve(void stored.push(`ntfy ${url}`)),
    connectTelegram(token) {
      if (token !== 'right') throw new AppError('unauthorized', 'the token is wrong')
      return Promise.resolve(void stored.push('telegram'))
    },
    ...over,
    stored,
  }
}
