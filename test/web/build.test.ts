// The build as it is served: small at first, whole, and nothing in it that asks another host.
import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const dist = join(import.meta.dirname, '..', '..', 'web', 'dist')
const maxBytes = 60 * 1024
const page = readFileSync(join(dist, 'index.html'), 'utf8')
const firstFiles = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, path]) => path ?? '')

test('the first load is under 60 KB packed', () => {
  assert(firstFiles.some((path) => path.endsWith('.js')) && firstFiles.some((path) => path.endsWith('.css')))
  // Files of less than 512 bytes are not packed.
  const sizeOf = (path: string): number =>
    (statSync(join(dist, `${path}.gz`), { throwIfNoEntry: false }) ?? statSync(join(dist, path))).size
  const bytes = ['index.html', ...firstFiles].reduce((sum, path) => sum + sizeOf(path), 0)
  assert(bytes < maxBytes, `${bytes} bytes`)
})

test('before any script has come the page is not empty', () => {
  assert.match(page, /<div id="app">\s*<div class="opening">\s*<svg class="mark"/)
})

test('the page has no script or style of its own text, and names no other host', () => {
  assert.doesNotMatch(page, /<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/)
  for (const name of ['index.html', ...globSync('assets/*.css', { cwd: dist })]) {
    assert.doesNotMatch(
      readFileSync(join(dist, name), 'utf8'),
      /(?:src|href)="https?:|url\(["']?(?:https?:)?\/\//,
      name,
    )
  }
})
