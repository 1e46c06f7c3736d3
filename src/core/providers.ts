// The one table of providers: config chooses by it, models open by it, commands tell it, tools are kept from its keys.

/** What a provider's key is called, in the environment and among the sealed secrets. */
type KeyName = 'ANTHROPIC_API_KEY' | 'GEMINI_API_KEY' | 'GOOGLE_API_KEY' | 'LLM_API_KEY' | 'OPENAI_API_KEY'

type Facts = {
  /** Which client speaks to it. */
  readonly client: 'offline' | 'scripted' | 'chat' | 'anthropic' | 'google'
  readonly words: string
  /** In the order in which they are looked for. */
  readonly keys: readonly KeyName[]
  /** Nothing works without a key. */
  readonly keyed?: true
  /** What nobody but the operator can know. */
  readonly needs: readonly ('LLM_BASE_URL' | 'LLM_MODEL' | 'LLM_SCRIPT')[]
  /** Its own address, as `LLM_BASE_URL` would write it. */
  readonly baseUrl?: string
  /** The model that is asked when none is named. */
  readonly model?: string
}

const table = {
  offline: {
    client: 'offline',
    words: 'the built-in model: no key, no network, little wit',
    keys: [],
    needs: [],
    model: 'offline',
  },
  scripted: {
    client: 'scripted',
    words: 'replies from a file (LLM_SCRIPT), for tests',
    keys: [],
    needs: ['LLM_SCRIPT'],
    model: 'scripted',
  },
  anthropic: {
    client: 'anthropic',
    words: 'Claude, by Anthropic',
    keys: ['ANTHROPIC_API_KEY'],
    keyed: true,
    needs: [],
    baseUrl: 'https://api.anthropic.com/v1',
    model: 'claude-sonnet-5-5',
  },
  openai: {
    client: 'chat',
    words: 'OpenAI',
    keys: ['OPENAI_API_KEY'],
    keyed: true,
    needs: [],
    baseUrl: 'https://api.openai.com/v1',
    model: 'gpt-5.4-mini',
  },
  google: {
    client: 'google',
    words: 'Gemini, by Google',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    keyed: true,
    needs: [],
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    model: 'gemini-3.5-flash',
  },
  'openai-compatible': {
    client: 'chat',
    words: 'any server that speaks the OpenAI chat wire',
    keys: ['LLM_API_KEY'],
    needs: ['LLM_BASE_URL', 'LLM_MODEL'],
  },
  ollama: {
    client: 'chat',
    words: 'a local Ollama',
    keys: [],
    needs: [],
    baseUrl: 'http://127.0.0.1:11434/v1',
    model: 'qwen3',
  },
} as const satisfies Record<string, Facts>

export type Provider = keyof typeof table

/** In the order in which they are shown. */
export const providerNames = Object.keys(table) as readonly Provider[]

export const providers: Readonly<Record<Provider, Facts>> = table

/** Those whose server speaks OpenAI's embeddings. */
export const embeddingProviders = [
  'openai',
  'google',
  'openai-compatible',
  'ollama',
] as const satisfies readonly Provider[]

/** True for the name of a provider's key. */
export function isProviderKey(name: string): boolean {
  return providerNames.some((each) => (providers[each].keys as readonly string[]).includes(name))
}

export function isProvider(name: string): name is Provider {
  return Object.hasOwn(providers, name)
}
