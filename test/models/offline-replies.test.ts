// The offline model by tables of what it says: greetings, refusals, questions; and what must not trigger a call.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ToolSpec } from '#core/tool.ts'
import { ask, builtIn, flights, getWeather, object, replyTo, text, tool, weather } from './offline-tools.ts'

const all = [...builtIn, weather]
const replies: readonly (readonly [message: string, tools: readonly ToolSpec[], words: RegExp])[] = [
  ['hello', all, /^Hello!.*offline model.*atrium onboard/s],
  ['Good morning', all, /^Hello!/],
  ['Who are you?', [], /offline model/],
  ['How do I connect a real model?', all, /run `atrium onboard` \(`bin\/atrium onboard` in a checkout\)/],
  ['', [], /^Hello!/],
  ['help', all, /"what is 17% of 80\?".*- web_fetch: Fetches a web page\n/s],
  ['What can you do?', all, /"remember that my bike is blue"/],
  ['which tools do you have?', all, /^(?=.*- time: )(?!.*memory_(?:edit|delete))/s],
  // a required parameter is asked for
  ["What's the weather?", all, /^To use weather I still need: city \(City name, such as "Lisbon"\)\./],
  ['what is the weather like today?', [getWeather], /I still need: location \(City and country\)/],
  ['air quality in Paris', all, /I still need: lat \(.*\); lon \(.*\)\./],
  ['flights from Berlin', [flights], /I still need: destination; date\./],
]

for (const [message, tools, words] of replies) {
  test(`"${message}" is answered in words like ${words.source}`, () => {
    assert.match(replyTo(ask(message, tools)), words)
  })
}

/** What looks like something it knows, and is not. */
const nearMisses: readonly string[] = [
  'what time does the train leave?',
  'time flies',
  'have a nice day',
  'what is the best time to visit Rome',
  'what is the time complexity of quicksort',
  'one day I will go to Tokyo',
  'the meeting is on Friday',
  'My meeting is on 2026-03-04',
  'call 555-123-4567',
  'My phone is 555-1234',
  'We need 2 x 4 boards',
  'what is 24/7 support',
  'open 24/7',
  'I ate 3 of 4 apples',
  'it costs 5 - 10 dollars',
  'iPhone 12 costs 500',
  'I have 3 cats and 4 dogs',
  'What is 9 to 5 about?',
  'I am 5!',
  'What is the meaning of life?',
  'what should I cook tonight',
  'who won the world cup in 1998?',
  'forget everything',
  'post hello to https://example.com',
  'delete the web page https://example.com',
  'translate "good morning" to French',
  "what's the capital of France",
  'write a poem about the sea',
  'tell me a joke',
  'memories are made of this',
  'the whether of it',
]

for (const message of nearMisses) {
  test(`"${message}" triggers nothing and is refused in honest words`, () => {
    assert.match(replyTo(ask(message, all)), /offline model.*"help"|never guess/)
  })
}

const target = object({ to: text }, [])
const writers: readonly (readonly [message: string, tool: ToolSpec])[] = [
  ['send email to Bob', tool('send_email', 'Sends an email.', target)],
  ['send an email to Bob', tool('sendEmail', 'Email.', target)],
  ['delete file notes.md', tool('delete_file', 'Deletes a file.', target)],
  ['book a flight to Paris', tool('book_flight', 'Flights.', target)],
  ['buy a ticket', tool('ticket_buy', 'Tickets.', target)],
  ['run shell command ls', tool('workspace_shell', 'Runs a shell command in the workspace.', target)],
  ['turn the lights on', tool('lights', 'Turns the lights on or off.', target)],
  ['user profile of Bob', tool('user_profile', 'Reads the profile of a user, and can delete it.', target)],
  ['use get_or_create_user for Bob', tool('get_or_create_user', 'A user.', target)],
  ['what is 2+2 and send email to Bob', tool('send_email', 'Sends an email.', target)],
  ...builtIn.flatMap((own) => (/write|edit|delete/.test(own.name) ? [[`use ${own.name} on a.md`, own] as const] : [])),
]

for (const [message, writer] of writers) {
  test(`${writer.name} is never guessed from "${message}"`, () => {
    assert.match(replyTo(ask(message, [...builtIn.slice(0, 2), writer])), /never guess|did not understand/)
  })
}
