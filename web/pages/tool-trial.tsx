// Test run of a tool: parameters as fields, then its result and the requests it made.
import { useSignal } from '@preact/signals'
import { countWords, durationWords } from '#core/words.ts'
import type { Tool, ToolTrial } from '#doors/web/wire/tool.ts'
import { printable, proseOf } from '#safety/printable.ts'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { Area, Field, Select } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Note } from '../parts/note.tsx'
import { tryTool } from '../store/tools.ts'

/** With more parameters than this, or nested ones, the form is one JSON field. */
const maxFields = 6

/** The parts of JSON Schema that the form uses. */
type Schema = {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly const?: unknown
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
}

type Outcome = { readonly trial: ToolTrial; readonly ms: number }

/** Of a tool with actions, one of them is tried. */
export function Trial({ tool: { name, schema, actions = [] } }: { tool: Tool }) {
  const chosen = useSignal<string | undefined>(undefined)
  const action = actions.find((each) => each.name === chosen.value) ?? actions[0]
  return (
    <div class="tool-part">
      <h3>Try it</h3>
      {action && (
        <Select
          name="Action"
          value={action.name}
          options={actions.map((each) => ({ value: each.name, label: each.name }))}
          onChange={(to) => (chosen.value = to)}
        />
      )}
      <Call key={action?.name} name={name} schema={action?.schema ?? schema} context={action?.context} />
    </div>
  )
}

type CallProps = { readonly name: string; readonly schema: Schema; readonly context: unknown }

function Call({ name, schema, context }: CallProps) {
  const fields = fieldsOf(schema)
  const values = useSignal<Readonly<Record<string, string>>>({})
  const json = useSignal(template(schema))
  const act = useAct()
  const outcome = useSignal<Outcome | undefined>(undefined)
  const test = async (): Promise<void> => {
    const params = fields ? paramsOf(fields, values.value) : readJson(json.value)
    if (params === undefined) throw new Error('This is not a JSON object.')
    outcome.value = undefined
    const began = performance.now()
    outcome.value = { trial: await tryTool(name, { params, context }), ms: performance.now() - began }
  }
  return (
    <Form look="trial" name={`Try ${name}`} act={act} work={test}>
      <div class={fields?.length === 1 ? 'trial-row' : 'trial-fields'}>
        {fields ? (
          fields.map(({ key, schema: part, required }) => (
            <Field
              key={key}
              label={required ? key : `${key} (optional)`}
              mono
              hint={part.description?.split('\n', 1)[0]?.slice(0, 160)}
              value={values.value[key] ?? ''}
              onInput={(value) => (values.value = { ...values.value, [key]: value })}
            />
          ))
        ) : (
          <Area label="Parameters" value={json.value} onInput={(value) => (json.value = value)} />
        )}
        <Button type="submit" busy={act.busy.value}>
          Test
        </Button>
      </div>
      {act.fault.value !== undefined && <Note kind="clay">{act.fault.value}</Note>}
      {outcome.value && <Answer {...outcome.value} />}
    </Form>
  )
}

function Answer({ trial, ms }: Outcome) {
  const { output, error, requests, blocked, logs } = trial
  const reached = requests.length > 0 ? `, ${countWords(requests.length, 'request')}` : ''
  return (
    <div role="status">
      <Note
        kind={error === null ? 'good' : 'clay'}
        title={error === null ? 'It answers' : 'It failed'}
        aside={<span>{`${durationWords(ms)}${reached}`}</span>}
      >
        <pre class="trial-output" tabIndex={0}>
          {proseOf(error ?? output ?? '')}
        </pre>
      </Note>
      {(requests.length > 0 || blocked.length > 0 || logs.length > 0) && (
        <ul class="trial-lines">
          {requests.map(({ method, url, status, error: why }, at) => (
            <li key={`r${at}`}>
              {printable(`${method} ${url} ${status ?? `failed${why === undefined ? '' : `: ${why}`}`}`)}
            </li>
          ))}
          {blocked.map(({ method, url, reason }, at) => (
            <li key={`b${at}`} class="trial-blocked">
              {printable(`Not allowed: ${method} ${url}, ${reason}`)}
            </li>
          ))}
          {logs.map(({ level, message }, at) => (
            <li key={`l${at}`}>{printable(`${level}: ${message}`)}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

type TrialField = { readonly key: string; readonly schema: Schema; readonly required: boolean }

/** The parameters as fields; undefined when there are too many or some are nested. */
function fieldsOf({ properties, required = [] }: Schema): readonly TrialField[] | undefined {
  const all = Object.entries(properties ?? {})
  const plain = all.every(([, part]) => ['string', 'number', 'integer', 'boolean'].includes(part.type ?? ''))
  if (!properties || !plain || all.length > maxFields) return undefined
  return all.map(([key, schema]) => ({ key, schema, required: required.includes(key) }))
}

/** Initial JSON with the required parameters; of alternatives, the first. */
function template(schema: Schema): string {
  const form = schema.oneOf?.[0] ?? schema.anyOf?.[0] ?? schema
  const properties = { ...schema.properties, ...form.properties }
  const names = new Set([...(schema.required ?? []), ...(form.required ?? [])])
  const start = Object.fromEntries([...names].map((name) => [name, startOf(properties[name] ?? {})]))
  return JSON.stringify(start, null, 2)
}

function startOf({ const: fixed, enum: words, type }: Schema): unknown {
  if (fixed !== undefined) return fixed
  if (words?.[0] !== undefined) return words[0]
  return { number: 0, integer: 0, boolean: false, array: [], object: {} }[type ?? ''] ?? ''
}

/** The values of the fields by their types, without empty ones. */
function paramsOf(fields: readonly TrialField[], values: Readonly<Record<string, string>>): Record<string, unknown> {
  const filled = fields.filter(({ key }) => (values[key] ?? '') !== '')
  return Object.fromEntries(filled.map(({ key, schema: { type } }) => [key, asType(values[key] ?? '', type)]))
}

function asType(text: string, type: string | undefined): unknown {
  if (type === 'boolean') return text === 'true'
  if (type === 'number' || type === 'integer') return Number.isFinite(Number(text)) ? Number(text) : text
  return text
}

function readJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
