import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFullSize } from '../support/full-size.ts'
import { explore } from './explore.ts'
import { modelSabotages } from './sabotages.ts'
import { smaller, stories } from './story.ts'

/** Small enough for every run; `npm run model` visits the others. */
const quick = ['report', 'takeover', 'definition']

for (const story of stories.filter(({ name }) => isFullSize || quick.includes(name))) {
  test(`model: ${story.name}: ${story.says}; every promise holds in every state`, (t) => {
    const { states, steps, broken, isWhole } = explore(smaller(story))
    t.diagnostic(`${states} states, ${steps} steps`)
    assert.deepEqual({ broken, isWhole }, { broken: undefined, isWhole: true })
    assert.ok(states > 10_000, `${states} states are too few for a fleet that restarts, crashes and upgrades`)
  })
}

for (const { name, breaks, story, rules } of modelSabotages) {
  test(`model: ${name} is noticed (${breaks})`, () => {
    const found = stories.find((each) => each.name === story)
    assert.ok(found, `there is a story ${story}`)
    const { broken } = explore(smaller(found), { rules, maxStates: 200_000 })
    assert.ok(broken, 'every promise held although the rule was broken')
    assert.ok(broken.trace.length > 3, 'the way to it is told')
  })
}
