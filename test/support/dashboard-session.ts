/** A user who has opened the link of a terminal. */
export interface DashboardSession {
  readonly facts: { readonly user: string; readonly allowWrites: boolean; readonly playground: boolean }
  /** Asks the gateway, as the page does. */
  ask(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: unknown }>
}

/** The newest link that was printed. */
export const linkIn = (printed: string): string =>
  [...printed.matchAll(/http:\/\/127\.0\.0\.1:\d+\/dashboard\/#code=[\w-]+/g)].at(-1)?.[0] ?? ''

/** Exchanges the code of a link, as the page does. Throws the status if it is refused. */
export async function signIn(link: string): Promise<DashboardSession> {
  const { origin, hash } = new URL(link)
  const ask = async (method: string, path: string, body: object | undefined, token = '') => {
    const answer = await fetch(`${origin}${path}`, {
      ...{ method, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: JSON.parse(await answer.text()) as unknown }
  }
  const { status, body } = await ask('POST', '/dashboard/session', { code: hash.replace('#code=', '') })
  if (status !== 200) throw new Error(`the link was refused: ${status}`)
  const { token, ...facts } = body as DashboardSession['facts'] & { readonly token: string }
  return { facts, ask: (method, path, sent) => ask(method, path, sent, token) }
}
