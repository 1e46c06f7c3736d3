// compose.yaml: what it hands on to the service.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { parse } from 'yaml'

type Compose = {
  services: { atrium: { build: { args: string[] }; environment: Record<string, string | null> } }
}

test('the proxy and its exceptions reach the service and the build of its image', async () => {
  const { atrium } = (parse(await readFile('compose.yaml', 'utf8')) as Compose).services
  const { environment, build } = atrium
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy']) {
    assert.equal(environment[name], null, `${name} is passed on as it is set, or not at all`)
    assert.ok(build.args.includes(name), name)
  }
})
