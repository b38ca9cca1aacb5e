import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askAboutObject, type Choice } from './ask-about-object.ts'
import type { RepairReport } from './repair-report.ts'

const denied: RepairReport = {
  ...{ resource: 'lamps.g.dev', namespace: 'n', name: 'a', reason: 'Denied', message: 'no' },
  ...{ now: 'readable', result: 'set aside' },
  ways: [{ kind: 'edit', text: 'change it', command: 'kubectl edit', isRecommended: true }],
}
const damaged: RepairReport = { ...denied, now: 'undecodable', reason: 'Undecodable', ways: [] }

const rows: readonly [what: string, about: RepairReport, answers: readonly string[], want: Choice][] = [
  ['r writes it again', denied, ['r'], 'retry'],
  ['an empty line skips', denied, [''], 'skip'],
  ['a word that is none of them is asked for again', denied, ['yes', 'Q'], 'quit'],
  ['d is no choice for what can be decoded', denied, ['d', 's'], 'skip'],
  ['d needs the name', damaged, ['d', 'n/a'], 'delete'],
  ['d with another name deletes nothing', damaged, ['d', 'y', 's'], 'skip'],
]
for (const [what, about, answers, want] of rows) {
  test(`repair asks: ${what}`, async () => {
    const left = [...answers]
    const said: string[] = []
    const ask = async (question: string) => {
      said.push(question)
      return left.shift() ?? assert.fail('it asks once more')
    }
    assert.equal(await askAboutObject(about, true, { ask, warn: (text) => said.push(text) }), want)
    assert.equal(left.length, 0)
    assert.match(said[0] ?? '', /lamps\.g\.dev n\/a: (?:Denied|Undecodable): no/)
  })
}

test('repair asks: without a store nothing can be deleted', async () => {
  const answers = ['d', 's']
  const questions: string[] = []
  const ask = async (question: string) => {
    questions.push(question)
    return answers.shift() ?? ''
  }
  assert.equal(await askAboutObject(damaged, false, { ask }), 'skip')
  assert.doesNotMatch(questions[0] ?? '', /\[d\]/)
})
