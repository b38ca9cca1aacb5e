import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { remoteHeaders } from '../authentication/index.ts'
import { ConfigurationProblem } from '../configuration/index.ts'
import { createProxyCertificates } from '../credentials/certificates.ts'
import { createDelegation } from './create-delegation.ts'

test('delegation: a program must not let each of its users name any other', async () => {
  const world = new Simulation('overlapping').process('a')
  const aggregator = (): Promise<never> => Promise.reject(new Error('not asked'))
  const { authority } = await createProxyCertificates('front', Date.now())
  const create = (...allowedNames: string[]) => {
    const requestHeader = { ca: authority.cert, ...remoteHeaders, allowedNames }
    return createDelegation({ aggregator, trust: { clientCa: authority.cert, requestHeader } }, world)
  }
  assert.throws(() => create(), ConfigurationProblem)
  assert.equal(create('front').trust.problem, undefined)
})
