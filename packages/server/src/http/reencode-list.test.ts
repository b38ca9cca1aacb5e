import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLossless } from '@strata/api'
import { readAll, utf8 } from '@strata/world'
import { readListBatches } from './list-batches.ts'
import { indentedList, yamlList } from './reencode-list.ts'
import { yamlText } from './yaml-text.ts'

const head =
  '"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"é,\\"items\\":[{"}'
const items = [
  '{"metadata":{"name":"a"},"data":{"x":"}],{\\\\\\"[","y":"zwei\\nZeilen\\n","z":"ünï 🎈"}}',
  '{}',
  '{"n":1.0,"big":12345678901234567890,"list":[[],[{}],{"a":[]}],"none":null,"half":"\\ud800"}',
  `{"long":"${'many words that are folded '.repeat(20)}","empty":""}`,
]
const lists: Readonly<Record<string, string>> = {
  items: `{${head},"items":[${items.join()}]}\n`,
  rows: `{${head},"columnDefinitions":[{"name":"Name"}],"rows":[${items.map((each) => `{"cells":["a",1],"object":${each}}`).join()}]}\n`,
  'one item': `{${head},"items":[${items[0]}]}\n`,
  'no items': `{${head},"items":[]}\n`,
  'nothing but items': `{"items":[${items.join()}]}`,
}

/** The first piece holds the head, as the answers of handlers do. */
async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = utf8.encode(text)
  const start = Math.max(
    size,
    Buffer.from(text)
      .toString('latin1')
      .search(/"(?:items|rows)":\[/) + 9,
  )
  yield bytes.subarray(0, start)
  for (let at = start; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

for (const [name, text] of Object.entries(lists)) {
  test(`long lists: ${name}, in pieces of any size, are written as if they were whole`, async () => {
    const whole = parseLossless(text)
    for (const size of [1, 2, 3, 7, 50, 200, 10_000]) {
      const read = () => readListBatches(inPieces(text, size))
      const indented = utf8.decode(await readAll(indentedList(await read())))
      assert.equal(indented, JSON.stringify(whole, undefined, 2), `indented, by ${size}`)
      assert.equal(utf8.decode(await readAll(yamlList(await read()))), yamlText(whole), `YAML, by ${size}`)
    }
  })
}

test('long lists: a part is written before the next is read', async () => {
  const text = lists['items'] ?? ''
  let taken = 0
  async function* source(): AsyncGenerator<Uint8Array> {
    for await (const piece of inPieces(text, 60)) {
      taken++
      yield piece
    }
  }
  const written = indentedList(await readListBatches(source()))
  await written.next()
  const before = taken
  await written.next()
  assert.ok(taken > before)
  await written.return(undefined)
})
