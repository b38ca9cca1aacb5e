import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createLog } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { ConfigurationProblem } from '../configuration/index.ts'
import { servingCredentials } from './serving-credentials.ts'

const directory = await mkdtemp(join(tmpdir(), 'strata-serving-'))
after(() => rm(directory, { recursive: true, force: true }))
const world = new Simulation('serving credentials').process('a')
const certDir = join(directory, 'pki')

test('serving certificate: it is for the Service of an aggregated server', async () => {
  const { tls } = await servingCredentials({ certDir, serviceName: 'shop/api' }, world)
  const certificate = new X509Certificate(tls.cert)
  for (const name of ['api.shop.svc', 'localhost']) assert.equal(certificate.checkHost(name), name)
})

test('serving certificate: one of the flags replaces that of the directory', async () => {
  const other = await servingCredentials({ certDir: join(directory, 'other') }, world)
  const files = { tlsCertFile: join(directory, 'tls.crt'), tlsPrivateKeyFile: join(directory, 'tls.key') }
  await writeFile(files.tlsCertFile, other.tls.cert)
  await writeFile(files.tlsPrivateKeyFile, other.tls.key)
  assert.deepEqual((await servingCredentials({ certDir, ...files }, world)).tls, other.tls)
  await assert.rejects(
    servingCredentials({ certDir, ...files, serviceName: 'shop/api' }, world),
    /^ConfigurationProblem: --service-name shop\/api: the certificate in --tls-cert-file \S+ is not for api\.shop\.svc$/,
  )
})

test('serving certificate: an aggregated server without a Service name warns', async () => {
  const warnings: string[] = []
  const log = createLog((level, message) => level === 'warn' && warnings.push(message))
  const listening = { clock: world.clock, random: world.random, processes: world.processes, log }
  const aggregator = () => Promise.reject(new Error('not asked'))
  const unnamed = { certDir: join(directory, 'unnamed'), aggregator }
  await servingCredentials(unnamed, listening)
  assert.match(
    warnings.join(),
    /^the serving certificate is not for a Service, .* --service-name namespace\/name$/,
  )
  warnings.length = 0
  await servingCredentials({ certDir, aggregator }, listening)
  await servingCredentials({ certDir: join(directory, 'unnamed') }, listening)
  assert.deepEqual(warnings, [])
})

for (const [serviceName, want] of [
  ['shop/other', /is not for other\.shop\.svc; remove the directory, and the server creates it again/],
  ['api', /write it as namespace\/name/],
  ['shop/', /write it as namespace\/name/],
  ['a/b/c', /write it as namespace\/name/],
] as const) {
  test(`serving certificate: --service-name ${serviceName} is refused`, async () => {
    await assert.rejects(servingCredentials({ certDir, serviceName }, world), (error: Error) => {
      assert.ok(error instanceof ConfigurationProblem)
      assert.match(error.message, want)
      return true
    })
  })
}
