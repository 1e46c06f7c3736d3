// A failed turn in words, for the page and the terminal. Imports nothing: the page loads it.

const titles: Readonly<Record<string, string>> = {
  turn_timeout: 'The turn took too long',
  repeated_call: 'Stopped: it went in circles',
  failing_tool: 'Stopped: a tool kept failing',
  model_rate_limited: 'The model refused for now',
  model_unauthorized: 'The model refused the key',
  model_key_missing: 'The model has no key',
  model_refused: 'The model refused',
  model_filtered: 'The answer was filtered',
  model_unknown: 'The model is not known',
  model_unreachable: 'The model did not answer',
  model_timeout: 'The model took too long',
  // It may have begun to answer, without any text so far.
  model_failed: 'The model failed',
}

/** What happened, by the code of the fault; `cut`: the last text is incomplete. Undefined where the fault itself says all. */
export function failureTitle(code: string, cut: boolean): string | undefined {
  return cut && code.startsWith('model_') ? 'The model broke off its answer' : titles[code]
}

/** What is kept; `done`: the turn left a text or a call. */
export function keptWords(done: boolean): string {
  return done ? 'What was done is kept.' : 'Your message is kept.'
}
