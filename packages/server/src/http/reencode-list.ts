import { utf8 } from '@strata/world'
import type { ListBatches } from './list-batches.ts'
import { yamlText } from './yaml-text.ts'

/** The same bytes as `JSON.stringify(list, undefined, 2)`, in parts. */
export async function* indentedList({ head, field, batches }: ListBatches): AsyncGenerator<Uint8Array> {
  const begin = JSON.stringify(head, undefined, 2)
  let before = `${begin === '{}' ? '{' : `${begin.slice(0, -2)},`}\n  ${JSON.stringify(field)}: [`
  for await (const batch of batches) {
    const inner = JSON.stringify(batch, undefined, 2)
    // Without the brackets, and with the final indentation. Strings contain no line breaks.
    yield utf8.encode(before + inner.slice(1, -2).replaceAll('\n', '\n  '))
    before = ','
  }
  yield utf8.encode(before === ',' ? '\n  ]\n}' : `${before}]\n}`)
}

/** The same bytes as `yamlText(list)`, in parts. */
export async function* yamlList({ head, field, batches }: ListBatches): AsyncGenerator<Uint8Array> {
  const keys = Object.keys(head)
  const before = keys.filter((key) => key < field)
  const after = keys.filter((key) => key > field)
  const only = (wanted: readonly string[]): string =>
    wanted.length === 0 ? '' : yamlText(Object.fromEntries(wanted.map((key) => [key, head[key]])))
  let begin = `${only(before)}${field}:`
  let between = '\n'
  for await (const batch of batches) {
    yield utf8.encode(begin + between + yamlText(batch))
    begin = ''
    between = ''
  }
  yield utf8.encode(`${begin === '' ? '' : `${begin} []\n`}${only(after)}`)
}
