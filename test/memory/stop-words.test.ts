import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCommonEnglish, isCommonForeign } from '#memory/stop-words.ts'

test('common words are known by language, without accents', () => {
  for (const word of ['a', 'the', 'your']) assert(isCommonEnglish(word), word)
  for (const word of ['uber', 'etre', 'mas', 'piu', 'zijn', 'ja', 'la']) assert(isCommonForeign(word), word)
  for (const word of ['', 'über', 'memory', 'ab', 'toString'])
    assert(!isCommonEnglish(word) && !isCommonForeign(word), word)
})
