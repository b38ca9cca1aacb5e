import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadPodAccess } from './pod-access.ts'

const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '6443' }

test('pod access: the token of the service account, and the address that the pod was given', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'strata-pod-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  assert.equal(await loadPodAccess(environment, directory), undefined)
  await writeFile(join(directory, 'token'), 'secret\n')
  await writeFile(join(directory, 'ca.crt'), 'authority')
  const access = await loadPodAccess(environment, directory)
  assert.deepEqual([access?.server, access?.token], ['https://10.0.0.1:6443', 'secret'])
  assert.equal(String(access?.ca), 'authority')
  const six = await loadPodAccess({ ...environment, KUBERNETES_SERVICE_HOST: 'fd00::1' }, directory)
  assert.equal(six?.server, 'https://[fd00::1]:6443')
  assert.equal(await loadPodAccess({}, directory), undefined)
  assert.equal(await loadPodAccess({ ...environment, KUBECONFIG: 'mine' }, directory), undefined)
})
