// Token estimates without a tokenizer: by byte length, calibrated with the counts that providers report.
import type { Item } from '#core/item.ts'
import type { Model, ModelRequest } from '#core/model.ts'
import { charsPerToken } from '#core/tokens.ts'
import type { ToolSpec } from '#core/tool.ts'
import type { Usage } from '#core/turn.ts'

/** Tokens of an item beside its text: role, ids. */
const frameTokens = 8
/** Providers count an image by its dimensions, not its bytes; this is a large one. */
const imageTokens = 1_500
/** Bounds of the calibration factor: some servers report one constant for every prompt. */
const [minFactor, maxFactor] = [0.9, 4]
/** Shorter prompts do not calibrate: they are mostly framing. */
const minCalibrationTokens = 200
/** Expected output tokens before the first response of a model. */
const initialOutput = 300
/** Estimates move this share of the way down to a smaller count; up to a larger one they jump at once. */
const easeDown = 0.1
const maxModels = 100

export function tokensInText(text: string): number {
  return Buffer.byteLength(text) / charsPerToken
}

/** The raw estimate for an item, before calibration. */
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

/** Calibrates raw estimates per model. */
export interface Meter {
  /** The tokens that the model is likely to count for a raw estimate. */
  calibrate(model: Model, raw: number): number
  /** The raw estimate that corresponds to tokens as the model counts them. */
  rawOf(model: Model, tokens: number): number
  /** The likely length of a response. */
  expectedOutput(model: Model): number
  /** Learns from the usage that was reported for a prompt with this raw estimate. */
  learn(model: Model, raw: number, usage: Usage): void
  /** The raw estimate for a tool. A spec is read once: there may be hundreds, of kilobytes each. */
  readonly tokensInSpec: (spec: ToolSpec) => number
  /** The raw estimate for the parts of a request beside the thread. */
  overhead(request: Pick<ModelRequest, 'system' | 'tools'>): number
}

type Calibration = { factor: number; output: number }

export function createMeter(): Meter {
  const models = new Map<string, Calibration>()
  const specs = new WeakMap<ToolSpec, number>()
  let lastSystem = { text: '', tokens: 0 }

  function calibrationOf({ provider, name }: Model): Calibration {
    const key = `${provider}/${name}`
    const known = models.get(key) ?? { factor: 1, output: initialOutput }
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
    calibrate: (model, raw) => Math.ceil(raw * calibrationOf(model).factor),
    rawOf: (model, tokens) => tokens / calibrationOf(model).factor,
    expectedOutput: (model) => Math.ceil(calibrationOf(model).output),
    learn(model, raw, { inputTokens, outputTokens }) {
      const known = calibrationOf(model)
      if (outputTokens > 0) known.output = adjusted(known.output, outputTokens)
      if (raw < minCalibrationTokens || inputTokens === 0) return
      known.factor = adjusted(known.factor, Math.min(Math.max(inputTokens / raw, minFactor), maxFactor))
    },
    tokensInSpec,
    overhead({ system, tools }) {
      if (lastSystem.text !== system) lastSystem = { text: system, tokens: tokensInText(system) }
      let { tokens } = lastSystem
      for (const spec of tools) tokens += tokensInSpec(spec)
      return tokens
    },
  }
}

function adjusted(from: number, to: number): number {
  return to > from ? to : from + (to - from) * easeDown
}
