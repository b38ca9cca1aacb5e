import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { createCertificates } from '../support/certificates.ts'

/** An admission webhook on this machine that denies whatever it is asked about. */
export async function startDenyingWebhook(message: string) {
  const certificates = await createCertificates(['localhost'])
  const { ca, serverCertFile, serverKeyFile } = certificates
  const [cert, key] = await Promise.all([readFile(serverCertFile), readFile(serverKeyFile)])
  const server = createServer({ cert, key }, async (request, response) => {
    const { apiVersion, kind, request: asked } = (await json(request)) as AdmissionReview
    const answer = { apiVersion, kind, response: { uid: asked.uid, allowed: false, status: { message } } }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/`,
    caBundle: Buffer.from(ca).toString('base64'),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await certificates.remove()
    },
  }
}

interface AdmissionReview {
  readonly apiVersion: string
  readonly kind: string
  readonly request: { readonly uid: string }
}
