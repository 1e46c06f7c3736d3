// The table of model providers: config chooses from it, models open by it, commands list it; tools never get its keys.

/** The name of a provider's key, in the environment and among the sealed secrets. */
type KeyName = 'ANTHROPIC_API_KEY' | 'GEMINI_API_KEY' | 'GOOGLE_API_KEY' | 'LLM_API_KEY' | 'OPENAI_API_KEY'

type ProviderRow = {
  /** The client that connects to it. */
  readonly client: 'offline' | 'scripted' | 'chat' | 'anthropic' | 'google'
  readonly words: string
  /** In lookup order. */
  readonly keys: readonly KeyName[]
  /** A key is required. */
  readonly keyed?: true
  /** Settings without a default, which the operator must give. */
  readonly needs: readonly ('LLM_BASE_URL' | 'LLM_MODEL' | 'LLM_SCRIPT')[]
  /** Its default base URL, in the form of `LLM_BASE_URL`. */
  readonly baseUrl?: string
  /** The default model. */
  readonly model?: string
  /** Its models take images. Unknown of the others, which may fail at one. */
  readonly images?: true
}

const table = {
  offline: {
    client: 'offline',
    words: 'the built-in model: no key, no network, simple answers',
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
    images: true,
  },
  anthropic: {
    client: 'anthropic',
    words: 'Claude, by Anthropic',
    keys: ['ANTHROPIC_API_KEY'],
    keyed: true,
    needs: [],
    baseUrl: 'https://api.anthropic.com/v1',
    model: 'claude-sonnet-5-5',
    images: true,
  },
  openai: {
    client: 'chat',
    words: 'OpenAI',
    keys: ['OPENAI_API_KEY'],
    keyed: true,
    needs: [],
    baseUrl: 'https://api.openai.com/v1',
    model: 'gpt-5.4-mini',
    images: true,
  },
  google: {
    client: 'google',
    words: 'Gemini, by Google',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    keyed: true,
    needs: [],
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    model: 'gemini-3.5-flash',
    images: true,
  },
  'openai-compatible': {
    client: 'chat',
    words: 'any server with an OpenAI-compatible API',
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
} as const satisfies Record<string, ProviderRow>

export type Provider = keyof typeof table

/** In display order. */
export const providerNames = Object.keys(table) as readonly Provider[]

/** Those that people choose from: the scripted one is for tests. */
export const choosableProviders = providerNames.filter((name) => name !== 'scripted')

export const providers: Readonly<Record<Provider, ProviderRow>> = table

/** Providers with OpenAI's embeddings API. */
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
