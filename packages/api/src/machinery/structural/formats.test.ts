import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '../schema.ts'
import type { Finding } from './findings.ts'
import { formatCheckOf, supportedFormat } from './formats.ts'

const cases: ReadonlyArray<[format: string, good: readonly string[], bad: readonly string[]]> = [
  [
    'bsonobjectid',
    ['507f1f77bcf86cd799439011', '507F1F77BCF86CD799439011'],
    ['', '507f1f77bcf86cd79943901', '507f1f77bcf86cd79943901g'],
  ],
  [
    'uri',
    [
      'http://foo.bar/#com',
      'https://a.b/c?d=e',
      '/relative/path',
      '*',
      'mailto:a@b',
      'http://[::1]:8080/',
      'http://[fe80::1%25en0]/',
      'http://a:/',
      'http://user:pw@host/%41',
      'urn:x',
      'http://ä.de/',
      'http://a/b c',
    ],
    [
      '',
      'foo',
      'foobar.com',
      'http://foo.bar#com',
      ':x',
      '1http://a',
      'http://a:port/',
      'http://[::1',
      'http://[::1]x/',
      'http://:x/',
      'http://a b/',
      '/a\nb',
      '/%zz',
      'http://%41/',
      'http://u^r@h/',
    ],
  ],
  [
    'email',
    [
      'a@b',
      'name@somewhere.com',
      'Barry Gibbs <bg@example.com>',
      '"a b"@c.d',
      '<a@b>',
      'a@[1.2.3.4]',
      'a(comment)@b',
      ' a@b ',
      'ä@ö.de',
      '"Last, First" <a@b>',
    ],
    ['', 'a', '@b', 'a@', 'a b@c', 'a..b@c', '.a@b', 'a@b.', 'a@b@c', 'a, b@c', 'Name <a@b', '<>'],
  ],
  [
    'hostname',
    [
      'somewhere.com',
      'a',
      'a-b',
      '1a.example',
      'münchen.de',
      '❤.com',
      'xn--a.com',
      'a.b.c.dd',
      'x'.repeat(63),
    ],
    ['', '-a', 'a..b', 'a.b', 'a_b', 'a b', '.a', 'a.', 'x'.repeat(64), 'a.1', `${'a.'.repeat(127)}com`],
  ],
  [
    'ipv4',
    ['192.168.254.1', '010.000.000.1', '::ffff:1.2.3.4'],
    ['', '1.2.3', '1.2.3.256', '1.2.3.4.5', '::1', 'a.b.c.d', '1..2.3'],
  ],
  [
    'ipv6',
    ['::1', '2001:db8::1', '::', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4', 'fe80::'],
    [
      '',
      '1.2.3.4',
      ':::',
      '1::2::3',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      'fe80::1%eth0',
      '::01.2.3.4',
      '12345::',
      ':1',
    ],
  ],
  [
    'cidr',
    ['192.168.254.1/24', '010.0.0.0/8', '::/0', '2001:db8::/128', '1.2.3.4/032'],
    ['', '1.2.3.4', '1.2.3.4/33', '::/129', '1.2.3.4/-1', '1.2.3.4/', 'a/8', '1.2.3.4/8/8'],
  ],
  [
    'mac',
    ['01:02:03:04:05:06', '01-02-03-04-05-06', '0102.0304.0506', '01:02:03:04:05:06:07:08'],
    [
      '',
      '01:02:03:04:05',
      '01:02-03:04:05:06',
      '0102.0304.0506.',
      '01:02:03:04:05:06:07',
      'g1:02:03:04:05:06',
      '010203040506',
    ],
  ],
  [
    'uuid',
    ['a8098c1a-f86e-11da-bd1a-00112444be1e', 'A8098C1AF86E11DABD1A00112444BE1E'],
    ['', 'a8098c1a-f86e-11da-bd1a-00112444be1', 'x8098c1a-f86e-11da-bd1a-00112444be1e'],
  ],
  ['uuid3', ['bcd02e22-68f0-3046-a512-327cca9def8f'], ['bcd02e22-68f0-4046-a512-327cca9def8f']],
  [
    'uuid4',
    ['025b0d74-00a2-4048-bf57-227c5111bb34'],
    ['025b0d74-00a2-4048-7f57-227c5111bb34', '025b0d74-00a2-5048-bf57-227c5111bb34'],
  ],
  ['uuid5', ['886313e1-3b8a-5372-9b90-0c9aee199e5d'], ['886313e1-3b8a-4372-9b90-0c9aee199e5d']],
  ['isbn', ['0321751043', '978-0321751041'], ['0321751044', '', '978-0321751042']],
  ['isbn10', ['0321751043', '0-321-75104-3', '080442957X'], ['978-0321751041', '032175104X']],
  ['isbn13', ['978 0321751041'], ['0321751043']],
  [
    'creditcard',
    ['4111-1111-1111-1111', '5555 5555 5555 4444', '371449635398431'],
    ['', '4111-1111-1111-1112', '1234'],
  ],
  ['ssn', ['111-11-1111', '111 11 1111'], ['111111111', '111-11-111', 'aaa-11-1111']],
  ['hexcolor', ['#FFFFFF', 'abc', '#abc'], ['', '#ff', '#gggggg']],
  [
    'rgbcolor',
    ['rgb(255,255,255)', 'rgb( 0 , 1 , 99 )'],
    ['rgb(256,0,0)', 'rgb(1,2)', 'rgb(01,2,3)', 'RGB(1,2,3)'],
  ],
  ['byte', ['YWJj', 'YWI=', 'YQ=='], ['', 'YQ', 'YQ=', 'Y Q=', '!!!!']],
  ['password', ['', 'anything'], []],
  [
    'date',
    ['2014-12-15', '2024-02-29', '2014-01-01'],
    ['', '2014-12-5', '2023-02-29', '2014-13-01', '2014-00-10', '2014-12-15T00:00:00Z'],
  ],
  [
    'duration',
    ['1s', '1h30m', '-1.5h', '0', '+0', '1.s', '.5s', '3 days', '2 weeks', '1μs', '5 seconds ago', '1hr'],
    ['', '1', 's', 'a day', '1 year', '1.5'],
  ],
  [
    'date-time',
    [
      '2014-12-15T19:30:20.000Z',
      '2014-12-15t19:30:20z',
      '2014-12-15T19:30:20+02:00',
      '2014-12-15T19:30:20,5Z',
    ],
    [
      '',
      'noon',
      '2014-12-15',
      '2014-12-15 19:30:20Z',
      '2014-12-15T24:30:20Z',
      '2014-12-15T19:30:60Z',
      '2014-12-15T19:30:20',
      '2014-02-30T19:30:20Z',
    ],
  ],
  ['datetime', ['2014-12-15T19:30:20Z'], ['x']],
  ['k8s-short-name', ['a', 'a-1', 'x'.repeat(63)], ['', 'a-', 'A', 'a.b', 'x'.repeat(64)]],
  ['k8s-long-name', ['a', 'a.b-1.c', 'x'.repeat(253)], ['', 'a.-', 'A.b', 'a..b', 'x'.repeat(254)]],
]

for (const [format, good, bad] of cases) {
  test(`formats: ${format}`, () => {
    const check = formatCheckOf({ type: 'string', format })
    const fits = (text: string): boolean => {
      const found: Finding[] = []
      check?.(text, 'f', found)
      return found.length === 0
    }
    assert.ok(check)
    assert.deepEqual(
      good.filter((each) => !fits(each)),
      [],
    )
    assert.deepEqual(bad.filter(fits), [])
  })
}

test('formats: those that upstream knows, for the types that it knows them for', () => {
  const supported = (schema: Schema): string | undefined => supportedFormat(schema)
  assert.equal(supported({ type: 'string', format: 'date-time' }), 'date-time')
  assert.equal(supported({ format: 'i-p-v-4' }), 'i-p-v-4')
  assert.equal(supported({ 'x-kubernetes-int-or-string': true, format: 'ipv4' }), 'ipv4')
  assert.equal(supported({ type: 'string', format: 'int32' }), undefined)
  assert.equal(supported({ type: 'integer', format: 'int32' }), 'int32')
  assert.equal(supported({ type: 'integer', format: 'uint8' }), undefined)
  assert.equal(supported({ type: 'number', format: 'double' }), 'double')
  assert.equal(supported({ type: 'object', format: 'date' }), undefined)
  assert.equal(supported({ type: 'string' }), undefined)
})
