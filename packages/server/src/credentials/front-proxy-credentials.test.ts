import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createSecureContext } from 'node:tls'
import { Simulation } from '@strata/world/sim'
import { ensureFrontProxy } from './front-proxy-credentials.ts'

const simulation = new Simulation('front proxy')
const worlds = ['a', 'b', 'c', 'd'].map((name) => simulation.process(name))
const [world] = worlds
let directory = ''
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'strata-front-proxy-'))
  // As an earlier release has left it.
  await writeFile(join(directory, 'ca.crt'), 'x')
})
after(() => rm(directory, { recursive: true, force: true }))

test('credentials of front proxies: servers that start together share one set, and no other user can read it', async () => {
  assert.ok(world)
  const all = await Promise.all(worlds.map((each) => ensureFrontProxy(directory, each)))
  const [files] = all
  assert.ok(files)
  for (const each of all) assert.deepEqual(each, files)
  assert.deepEqual((await readdir(directory)).sort(), ['ca.crt', 'front-proxy'])
  const made = join(directory, 'front-proxy')
  const names = await readdir(made)
  assert.deepEqual(names.sort(), ['ca.crt', 'ca.key', 'client.crt', 'client.key'])
  for (const name of names) assert.equal((await stat(join(made, name))).mode & 0o777, 0o600)
  const read = (path: string): Promise<string> => readFile(path, 'utf8')
  const client = new X509Certificate(await read(files.certFile))
  const authority = new X509Certificate(await read(files.caFile))
  assert.equal(client.subject, 'CN=front-proxy-client')
  assert.ok(client.checkIssued(authority) && client.verify(authority.publicKey))
  // Throws unless the key is that of the certificate.
  createSecureContext({ cert: await read(files.certFile), key: await read(files.keyFile) })
  const before = await read(files.certFile)
  await ensureFrontProxy(directory, world)
  assert.equal(await read(files.certFile), before)
})

test('credentials of front proxies: a directory that lacks a file is not completed with another set', async () => {
  assert.ok(world)
  await unlink(join(directory, 'front-proxy', 'client.key'))
  await assert.rejects(ensureFrontProxy(directory, world), /remove that directory/)
})

test('credentials of front proxies: without a place for them, the server goes on', async () => {
  assert.ok(world)
  const file = join(directory, 'ca.crt')
  await assert.rejects(ensureFrontProxy(join(file, 'below'), world), /cannot be read \(ENOTDIR\)/)
  assert.equal(await ensureFrontProxy(join('/proc', 'nowhere'), world), undefined)
})
