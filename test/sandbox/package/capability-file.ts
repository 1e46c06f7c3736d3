// A capability file with every key, and its reading.
import { type Capabilities, readCapabilities } from '#sandbox/package/capabilities.ts'

export const full = {
  version: '2.1.0',
  wit_version: '0.3.0',
  http: {
    allowlist: [
      { host: 'api.example.com', path_prefix: '/v1/', methods: ['GET', 'post'] },
      { host: '*.files.example.com', path_prefix: '/', methods: ['GET'] },
    ],
    rate_limit: { requests_per_minute: 60, requests_per_hour: 500 },
    timeout_secs: 20,
    credentials: {
      main: { secret_name: 'ex_token', location: { type: 'bearer' }, host_patterns: ['api.example.com'] },
      basic: { secret_name: 'b', location: { type: 'basic', username: 'u' }, host_patterns: ['*.files.example.com'] },
      named: {
        secret_name: 'h',
        location: { type: 'header', name: 'X-Key', prefix: 'Token ' },
        host_patterns: ['a.files.example.com'],
      },
      query: { secret_name: 'q', location: { type: 'query_param', name: 'key' }, host_patterns: ['api.example.com'] },
      path: {
        secret_name: 'p',
        location: { type: 'url_path', placeholder: '{BOT}' },
        host_patterns: ['api.example.com'],
      },
    },
  },
  secrets: { allowed_names: ['ex_token', 'other'] },
  auth: {
    secret_name: 'ex_token',
    display_name: 'Example',
    instructions: 'Make a token.',
    setup_url: 'https://example.com/tokens',
    token_hint: 'starts with ex_',
    env_var: 'EXAMPLE_TOKEN',
    oauth: {
      authorization_url: 'https://example.com/authorize',
      token_url: 'https://example.com/token',
      client_id_env: 'EXAMPLE_CLIENT_ID',
      client_secret_env: 'EXAMPLE_CLIENT_SECRET',
      scopes: ['read'],
      extra_params: { access_type: 'offline' },
    },
  },
  setup: { required_secrets: ['client_id', { name: 'client_secret', prompt: 'The secret', optional: true }] },
  actions: [{ id: 'get_repo', description: 'Gets one.', params: { type: 'object' } }, { id: 'list' }],
  workspace: { allowed_prefixes: ['notes/'] },
  tool_invoke: { aliases: { clock: 'time' } },
}

export function read(value: unknown): Capabilities {
  return readCapabilities(JSON.stringify(value)).capabilities
}
