// How many tokens something is, without a tokenizer: by its bytes, set right by what the provider has counted.
import type { Item } from '#core/item.ts'
import type { Model, ModelRequest } from '#core/model.ts'
import { charsPerToken } from '#core/tokens.ts'
import type { ToolSpec } from '#core/tool.ts'
import type { Usage } from '#core/turn.ts'

/** The frame of an item: its role, its ids. */
const frameTokens = 8
/** A picture counts by its size, whatever its bytes; this is a large one. */
const imageTokens = 1_500
/** Counts of a provider beyond these bounds are not believed: some report one number for everything. */
const [minFactor, maxFactor] = [0.9, 4]
/** A short prompt tells more of its frame than of its text. */
const tellingTokens = 200
/** What a response comes to before any was seen. */
const firstOutput = 300
/** How much of the way to a smaller count is gone at once; to a greater one it is the whole. */
const ease = 0.1
const maxModels = 100

export function tokensInText(text: string): number {
  return Buffer.byteLength(text) / charsPerToken
}

/** The bare count of an item, before it is set right. */
export function tokensInItem(item: Item): number {
  switch (item.type) {
    case 'message':
      return item.content.reduce(
        (sum, part) => sum + (part.type === 'image' ? imageTokens : tokensInText(part.text)),
        frameTokens,
      )
    case 'call':
      return frameTokens + tokensInText(item.args) + tokensInText(item.name)
    case 'result':
      return frameTokens + tokensInText(item.output)
    case 'reasoning':
      return frameTokens + tokensInText(item.text) + tokensInText(item.seal ?? '')
    case 'summary':
      return frameTokens + tokensInText(item.text)
    case 'answer':
      return item.decision === 'output' ? frameTokens + tokensInText(item.output ?? '') : 0
    case 'attempt':
    case 'gate':
      return 0
    default:
      return item satisfies never
  }
}

/** Knows of each model how its counts compare to ours. */
export interface Meter {
  /** What these bare counts are likely to be for a model. */
  right(model: Model, bare: number): number
  /** The bare count of what a model would count as so many tokens. */
  bare(model: Model, tokens: number): number
  /** How long a response is likely to be. */
  output(model: Model): number
  learn(model: Model, bare: number, usage: Usage): void
  /** The bare count of a request, whose thread is counted already. */
  around(request: Pick<ModelRequest, 'system' | 'tools'>): number
}

type Known = { factor: number; output: number }

export function createMeter(): Meter {
  const models = new Map<string, Known>()
  const specs = new WeakMap<ToolSpec, number>()
  const prompts: { text: string; tokens: number } = { text: '', tokens: 0 }

  function knownOf({ provider, name }: Model): Known {
    const key = `${provider}/${name}`
    const known = models.get(key) ?? { factor: 1, output: firstOutput }
    if (models.size < maxModels) models.set(key, known)
    return known
  }

  function tokensInSpec(spec: ToolSpec): number {
    const known = specs.get(spec)
    if (known !== undefined) return known
    const tokens = frameTokens + tokensInText(JSON.stringify(spec))
    specs.set(spec, tokens)
    return tokens
  }

  return {
    right: (model, bare) => Math.ceil(bare * knownOf(model).factor),
    bare: (model, tokens) => tokens / knownOf(model).factor,
    output: (model) => Math.ceil(knownOf(model).output),
    learn(model, bare, { inputTokens, outputTokens }) {
      const known = knownOf(model)
      if (outputTokens > 0) known.output = towards(known.output, outputTokens)
      if (bare < tellingTokens || inputTokens === 0) return
      known.factor = towards(known.factor, Math.min(Math.max(inputTokens / bare, minFactor), maxFactor))
    },
    around({ system, tools }) {
      if (prompts.text !== system) Object.assign(prompts, { text: system, tokens: tokensInText(system) })
      let tokens = prompts.tokens
      for (const spec of tools) tokens += tokensInSpec(spec)
      return tokens
    },
  }
}

function towards(from: number, to: number): number {
  return to > from ? to : from + (to - from) * ease
}
