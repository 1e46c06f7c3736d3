import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeRoutes } from '#http/openapi.ts'
import { serve, type Wire } from './serve.ts'

it('the document has every route under both prefixes, with the fields that validate', async (t) => {
  const served = await serve()
  t.after(() => served.close())
  const document = await describeRoutes(await served.gateway.routes(), '1')
  const paths = document['paths'] as Record<string, Wire>
  for (const prefix of ['/api/v1', '/v1']) {
    for (const path of [
      '/responses',
      '/responses/compact',
      '/responses/{id}',
      '/responses/{id}/cancel',
      '/responses/{id}/input_items',
      '/chat/completions',
      '/models',
      '/models/{rest}',
    ]) {
      assert.ok(paths[prefix + path], prefix + path)
    }
  }
  const get = JSON.stringify((paths['/api/v1/responses/{id}'] as Wire)['get'])
  for (const status of ['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'])
    assert.match(get, new RegExp(`"${status}"`), status)
  const schemaOf = (path: string): Wire => {
    const post = (JSON.parse(JSON.stringify(paths[path])) as Wire)['post'] as Wire
    return (((post['requestBody'] as Wire)['content'] as Wire)['application/json'] as Wire)['schema'] as Wire
  }
  const schema = schemaOf('/api/v1/responses')
  const fields = schema['properties'] as Wire
  assert.deepEqual(Object.keys(fields).sort(), [
    'input',
    'instructions',
    'model',
    'previous_response_id',
    'stream',
    'temperature',
    'tool_choice',
    'tools',
    'x_context',
  ])
  assert.deepEqual(schema['required'], ['model', 'input'])
  assert.deepEqual(schemaOf('/api/v1/responses/input_tokens')['required'], ['input'])
  assert.match(JSON.stringify(fields['tools']), /\^\[A-Za-z0-9_-\]\{1,64\}\$/)
  assert.match(JSON.stringify(fields['temperature']), /"maximum":2/)
  assert.match(JSON.stringify(fields['input']), /function_call_output/)
})
