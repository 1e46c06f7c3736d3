// Traces of a running service, at a collector of its own.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { atrium, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { openCollector } from '../collector.ts'

const home = newHome()
after(home.remove)

test('each turn of a service is told to the collector once it has ended, without what was said', async () => {
  const collector = await openCollector()
  try {
    const service = await serve(home.path, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=of%20the%20collector',
      OTEL_SERVICE_NAME: 'house',
    })
    await atrium(home.path, ['run', '-m', 'what is 6 * 7?'])
    assert.equal(await service.stop(), 0)
    assert.deepEqual(collector.faults, [])
    assert.deepEqual(
      collector.spans.map(({ name }) => name),
      ['invoke_agent atrium', 'chat offline', 'execute_tool calculate', 'chat offline'],
    )
    assert.equal(collector.resources[0]?.['service.name'], 'house')
    assert.equal(collector.headers[0]?.['x-api-key'], 'of the collector')
    assert.equal(collector.spans[0]?.attributes['atrium.door'], 'run')
    assert.equal(collector.spans[1]?.attributes['gen_ai.provider.name'], 'offline')
    assert.doesNotMatch(JSON.stringify(collector.spans), /6 \* 7|what is/)
    assert.doesNotMatch(service.output(), /of the collector/)
  } finally {
    await collector.close()
  }
})
