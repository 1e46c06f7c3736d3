// Versions of the schema that have landed stay as they are.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { statementsOf } from '#store/migration.ts'
import { migrations } from '#store/migrations.ts'

/** The text of each version that has landed. Databases stand that were made by it: add a version instead of editing one. */
const landed = [
  '0a48d0f8bbd19a1f7a3b0727b9918edc35d105d74c0f784c7696e7244f5da36c',
  '07c940ff3507d49f4261028324f6803bad5142ebcb75b730240c4e7009d8b942',
  'eb78d4d48d2e5b4c01e56adc0238697afeb407380417b913facced77e19c033e',
  'fb40288a1d61a180eb4cf1c585f1e378c6ce723ea6cb69c1702d505fed95c5b6',
  '762d3fcf9f61d5339420d165c480b951678d75d53dfbbcda63d5207075bb182b',
  '09915cb5b65636eb13a9f090aeb5cb05f0aaf06fa16b20e3d50559c7cfaf3c30',
  '5c65b4df36af4e176ec70859f1292df35da7410752ff910af20195ba75b06d1d',
  '33d52c1e0ef57c6ee255a411bded9e341281bdf21a39a9721b958908f93fdb74',
  'cfed30f7b31a52d1158a1ea99d70b4f12695cf7b8962d638641c062942db5583',
  'ffe676a2a76e8c663a3c6f340a867158b3fa366b0394178a3d29029a31bde38a',
  'a702db833117b3b536f3870bdd1e55497e7491f8868c1bf86ac75d1967434916',
  '41f16729f2bcd9a3e718910ba8f0d5d08d86be7b3fd8cc3bac8c18286356a0f3',
  'fcb268ef2511583f472d43a8d194436eadd0d648225d4c41530244987e5f86a8',
  'c32b019853b129aa96b7b1ff3d6fc74ca750feb7da51772dc3b54cc9dad75dad',
  'b82bbac154d635b2ac3c8cbc2097edfd7efa5f3c8f694203640cdce3c19fae6e',
  '467387e62ee198835b49d168cb9c00d3535d1799dd5c8fa91b3f7ed6eec87f90',
  '1c79f400dc0e4d66d9dd8cfa7cf9b8d1c58558a22965e3c03c23390029722ccd',
  'e802e9375c445b29d7f700cb31cf2eed734ebbe3db169c1a8182c3ef4b15610d',
  'a2b874c55e7f78e8a5c324f371f68a636922f8bd599a98a7c356dff1c5503635',
  '4dce955d84cb1cc8f436071da8c7719ca66295f04fbeaa6b0531b0f45d6f96ae',
  '97eb6489350566f49f1f5f66417d05b17be5fa39c9d77ad57dea7beedb1f41f2',
  '4de19e196f57ebe3a513e3f93eb20922672e4669076c8cf0db0dc1c28a99a5d0',
  '9723529a5c3314a82887759fd445e9e06a1b4b9b2c4bddc737631f1a454d05d1',
  '6726aed2cafb7ff5b84d5a61141e0bc85107a51b341e13f7660c0916914dd059',
  '1eb96bfeb7bdc608c1f6052d3998b346b1003abbc71cb27f766a422ea5d0abc4',
  'a09087e54219c815afe2064fd50851665122def34051c2b8aec2a41d57d3ac9f',
  '1ea3e05ad908bf322c6cf1c1e9b0bc2bf34f7df8079677ba7f6b622165ef9b9c',
  '652d43bfc4936ada857811bce9e5cbdd1d694d62f151ea8f887cc13da1b49b03',
  'ffe1b5aeb219395f6e49379a7edc5af6964006f027f7b4cccfeb2053c9688da7',
  'd95414eec07b5d7818397c1124732eadab92cea65f89912720d359d94de50f10',
  'b2e6317364cffb688baa795c23bb05586cc1dcb021c8d905a4da09fda0adee13',
  '497adc4f8650177b3b74aee10904a11c7c478389710cbd13eed5d29b11f66238',
  '1b58427e9ea2a2711cea7fd9ec07a72657fd3e5c1949033ffef217cab3187ab9',
  '8ca7905495074b5ca0e225f0adbdb7ca0e4e983c41d075978a4eb951d59d2c75',
  'ab7f6b627cec2582c6d6e018ba1032253df21a24287151252e3596068819e370',
  '1d65f64063818c14376f044dd1191be7e45f070f74ba460f4931dda4b7d075d9',
  '21654aef323d3add9046f910546f08f664773575af1cb45780c055e09f8e6e7b',
  'f1897bdeabeb523b8a0304cec74dce783a519173fce287886fa98f8ee0f2785a',
  '681a57fa927ac7182e76eea43269cacbfe8577b48a997b80fb54c41ec0665bf6',
  '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
  'fcdf40163527eb954581b40334ea7ac00faaaab91c4ed17b1b6f344bee507ed5',
  'cc3f681006ebace1b1b3e7b04eee3924317d3771edfab5bed64930d2f945968f',
]

test('a version that has landed is never edited', () => {
  const hashes = migrations.map(({ changes }) => createHash('sha256').update(JSON.stringify(changes)).digest('hex'))
  assert.deepEqual(hashes, landed)
})

test('earlier processes go on beside a version only where nothing that they store, erase, count or show is wrong then', () => {
  const shared = migrations.flatMap(({ shared }, at) => (shared ? [at + 1] : []))
  assert.deepEqual(shared, [24, 25, 42])
  const listed = new Intl.ListFormat('en-GB')
  const docs = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  assert.ok(docs.includes(`every version up to ${migrations.length} but ${listed.format(shared.map(String))}`))
})

test('a change is one text for both databases, or one for each', () => {
  const changes = ['CREATE TABLE a (b TEXT, c BLOB) WITHOUT ROWID', { sqlite: ['x TEXT', 'y'], postgres: ['z TEXT'] }]
  assert.deepEqual(statementsOf({ changes }, 'sqlite'), [changes[0], 'x TEXT', 'y'])
  assert.deepEqual(statementsOf({ changes }, 'postgres'), ['CREATE TABLE a (b TEXT COLLATE "C", c BYTEA)', 'z TEXT'])
})
