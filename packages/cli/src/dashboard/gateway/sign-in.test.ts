import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { SignIn } from './sign-in.ts'
import { SignInLinks } from './sign-in-links.ts'

function start(seed: string) {
  const simulation = new Simulation(seed)
  const world = simulation.process('gateway')
  const signIn = new SignIn(world)
  const wait = (ms: number): Promise<unknown> => simulation.run({ untilMs: simulation.nowMs + ms })
  const tokenFor = (code: string): string => {
    const exchange = signIn.exchange(code)
    return exchange.outcome === 'signed-in' ? exchange.token : assert.fail(exchange.outcome)
  }
  return { world, signIn, wait, tokenFor }
}

describe('signing in by a link', () => {
  test('a code is good for one token', () => {
    const { signIn, tokenFor } = start('once')
    const code = signIn.createCode()
    assert.ok(signIn.isOpen(tokenFor(code)))
    assert.equal(signIn.exchange(code).outcome, 'refused')
  })

  test('a code is good for two minutes', async () => {
    const { signIn, wait, tokenFor } = start('two minutes')
    const [early, late] = [signIn.createCode(), signIn.createCode()]
    await wait(119_000)
    tokenFor(early)
    await wait(2_000)
    assert.equal(signIn.exchange(late).outcome, 'refused')
  })

  test('a code is no token, and a token is no code', () => {
    const { signIn, tokenFor } = start('kinds')
    const code = signIn.createCode()
    assert.ok(!signIn.isOpen(code))
    assert.equal(signIn.exchange(tokenFor(code)).outcome, 'refused')
  })

  test('nothing is signed in by nothing', () => {
    const { signIn } = start('nothing')
    for (const secret of ['', 'undefined', 'null']) {
      assert.ok(!signIn.isOpen(secret))
      assert.equal(signIn.exchange(secret).outcome, 'refused')
    }
  })

  test('every code and token is another one, of 256 bits', () => {
    const { signIn, tokenFor } = start('different')
    const secrets = Array.from({ length: 5 }, () => signIn.createCode())
    secrets.push(...secrets.slice(-3).map(tokenFor))
    assert.equal(new Set(secrets).size, secrets.length)
    for (const secret of secrets) assert.match(secret, /^[\w-]{43}$/)
  })

  test('guessing is slowed down, and a link still signs in', () => {
    const { signIn, tokenFor } = start('guesses')
    const code = signIn.createCode()
    const guesses = Array.from({ length: 50 }, (_, at) => signIn.exchange(`guess ${at}`))
    assert.equal(guesses.filter(({ outcome }) => outcome === 'refused').length, 10)
    assert.deepEqual(guesses.at(-1), { outcome: 'too-many-tries', retryAfterSeconds: 2 })
    assert.ok(signIn.isOpen(tokenFor(code)))
  })

  test('the newest sixteen links work', () => {
    const { signIn, tokenFor } = start('sixteen')
    const [oldest = '', ...others] = Array.from({ length: 17 }, () => signIn.createCode())
    assert.equal(signIn.exchange(oldest).outcome, 'refused')
    for (const code of others) tokenFor(code)
  })

  test('a session ends when it was not used for half a day, or by signing out', async () => {
    const { signIn, wait, tokenFor } = start('idle')
    const [used, idle, ended] = [1, 2, 3].map(() => tokenFor(signIn.createCode())) as [string, string, string]
    signIn.end(ended)
    assert.ok(!signIn.isOpen(ended))
    await wait(11 * 3_600_000)
    assert.ok(signIn.isOpen(used))
    await wait(2 * 3_600_000)
    assert.ok(signIn.isOpen(used))
    assert.ok(!signIn.isOpen(idle))
  })
})

test('a page that asks for links again and again gets one into the terminal', async () => {
  const { world, signIn, wait } = start('links')
  const printed: string[] = []
  const url = (): string => 'http://127.0.0.1:1/dashboard/'
  const links = new SignInLinks({ signIn, clock: world.clock, url, print: (link) => printed.push(link) })
  for (let asked = 0; asked < 100; asked++) links.show()
  assert.equal(printed.length, 1)
  assert.match(printed[0] ?? '', /^http:\/\/127\.0\.0\.1:1\/dashboard\/#code=[\w-]{43}$/)
  await wait(21_000)
  links.show()
  assert.equal(printed.length, 2)
})

test('a link works for two minutes, however often a page asks for another', async () => {
  const { world, signIn, wait, tokenFor } = start('displaced')
  const links = new SignInLinks({ signIn, clock: world.clock, url: () => '', print: () => {} })
  const [, code = ''] = links.create().split('#code=')
  for (let second = 0; second < 119; second++) {
    links.show()
    await wait(1_000)
  }
  assert.ok(signIn.isOpen(tokenFor(code)))
})
