import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redraw, type ScreenSize } from './screen.ts'

const cases: readonly [name: string, text: string, size: ScreenSize, want: string[]][] = [
  ['text that fits is unchanged', 'one\ntwo', { columns: 10, rows: 2 }, ['one', 'two']],
  ['a row of a table is cut', 'a   bcd', { columns: 6, rows: 2 }, ['a   b…']],
  ['a sentence wraps', '  one two three', { columns: 10, rows: 3 }, ['  one two', '    three']],
  ['a terminal of unknown size counts as 80 by 24', 'one\ntwo', { columns: 0, rows: 0 }, ['one', 'two']],
  ['a long word is broken', '1234567890', { columns: 6, rows: 3 }, ['123456', '    78', '    90']],
  [
    'lines below the last row are counted',
    'a\nb\nc\nd',
    { columns: 80, rows: 3 },
    ['a', 'b', '… 2 more lines: make the window larger, or name resources'],
  ],
]
for (const [name, text, size, want] of cases) {
  test(`screen: ${name}`, () => {
    const drawn = redraw(text, size)
    assert.ok(drawn.startsWith('\u001b[H') && drawn.endsWith('\u001b[J'))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of the terminal.
    assert.deepEqual(drawn.replaceAll(/\u001b\[[HKJ]/g, '').split('\r\n'), want)
  })
}
