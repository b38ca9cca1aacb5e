import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFullSize } from '../support/full-size.ts'
import { explore } from './explore.ts'
import { modelSabotages } from './sabotages.ts'
import { smaller, stories } from './story.ts'

/** With three processes: small enough for every run. */
const whole = stories.filter(({ name }) => name === 'report')
/** With two; `npm run model` visits all of them with three. */
const small = stories.filter(({ name }) => isFullSize || ['takeover', 'definition'].includes(name))

for (const story of [...whole, ...small.map(smaller)]) {
  const size = `${story.slots.length} processes`
  test(`model: ${story.name}, ${size}: ${story.says}; every promise holds in every state`, (t) => {
    const { states, steps, broken, isWhole } = explore(story)
    t.diagnostic(`${states} states, ${steps} steps`)
    assert.deepEqual({ broken, isWhole }, { broken: undefined, isWhole: true })
    assert.ok(states > 5_000, `${states} states are too few for a fleet that restarts, crashes and upgrades`)
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
