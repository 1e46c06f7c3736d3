// The script around a tool in TypeScript, in which the component builder's engine starts.

/**
 * Checks the shape of the tool while it loads. A missing `output` or `error` is null, an exception of `execute` is the tool's
 * error, and values that are not text are written as JSON, because the engine traps on them. `schema` and `description` have
 * no place for an error: it goes to the log before they trap.
 */
export const entry = `import './prelude.js'
import * as source from './tool.js'
const shape = 'export const tool = { execute, schema, description }'
const text = (value) => (value == null || typeof value === 'string' ? value : JSON.stringify(value))
const messageOf = (error) => {
  try {
    return error instanceof Error ? error.message : text(error)
  } catch {
    return String(error)
  }
}
const kindOf = (value) =>
  value == null ? String(value) : Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : 'a ' + typeof value
const isPromise = (value) => typeof value?.then === 'function'
const written = source.tool
if (written === undefined) throw new Error('tool.ts does not export tool: ' + shape)
if (written === null || !/^(object|function)$/.test(typeof written)) throw new Error('tool.ts exports ' + kindOf(written) + ' as tool: ' + shape)
const lacking = []
const faults = []
for (const name of ['execute', 'schema', 'description']) {
  const asFunction = ': write ' + name + ': () => …'
  try {
    const value = written[name]
    if (value === undefined) lacking.push(name)
    else if (/Async|Generator/.test(Object.prototype.toString.call(value))) faults.push('tool.' + name + ' is async or a generator, and a tool cannot wait: leave out async, await and yield, host calls answer at once')
    else if (typeof value !== 'function') faults.push('tool.' + name + ' is ' + kindOf(value) + ', not a function' + asFunction)
  } catch (error) {
    faults.push('tool.' + name + ' cannot be read, ' + messageOf(error) + asFunction)
  }
}
if (lacking.length > 0) faults.push('tool lacks ' + lacking.join(', ') + ': ' + shape)
if (faults.length > 0) throw new Error('tool.ts: ' + faults.join('; '))
const needed = { schema: 'a JSON Schema, as an object or as text', description: 'a text' }
const say = (name) => {
  try {
    const value = written[name]()
    const said = isPromise(value) ? undefined : text(value)
    if (typeof said !== 'string') throw new Error('it returned ' + (isPromise(value) ? 'a promise' : kindOf(value)))
    return said
  } catch (error) {
    console.error(name + ' failed: ' + messageOf(error) + '; it must return ' + needed[name])
    throw error
  }
}
export const tool = {
  execute(request) {
    try {
      const response = written.execute(request) ?? {}
      if (isPromise(response)) throw new Error('execute returned a promise, and a tool cannot wait: host calls answer at once, leave out async and await')
      return { output: text(response.output) ?? null, error: text(response.error) ?? null }
    } catch (error) {
      return { output: null, error: messageOf(error) || 'the tool failed without saying why' }
    }
  },
  schema: () => say('schema'),
  description: () => say('description'),
}
`
