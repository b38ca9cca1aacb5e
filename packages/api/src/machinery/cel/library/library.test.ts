import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcomeOf } from '../syntax/expression-for-test.ts'

/** Expressions that are true. */
const truths: readonly string[] = [
  // Conversions.
  "int('42') == 42 && int(2.9) == 2 && int(-2.9) == -2 && int(7u) == 7",
  "uint('7') == 7u && uint(3) == 3u && double('1.5') == 1.5 && double(2) == 2.0",
  "string(1.5) == '1.5' && string(1000000.0) == '1e+06' && string(0.00001) == '1e-05' && string(100.0) == '100'",
  "string(true) == 'true' && bool('t') && !bool('False') && string(b'abc') == 'abc' && bytes('é') == b'\\xc3\\xa9'",
  // Durations and times.
  "duration('1h30m') == duration('90m') && duration('1.5s') + duration('500ms') == duration('2s')",
  "duration('90m').getHours() == 1 && duration('90m').getMinutes() == 90 && duration('1.5s').getMilliseconds() == 1500",
  "string(duration('90s')) == '90s' && string(duration('1500ms')) == '1.5s' && int(duration('1s')) == 1000000000",
  "timestamp('2024-02-29T12:00:00Z') - timestamp('2024-02-28T12:00:00Z') == duration('24h')",
  "timestamp('2024-02-29T12:34:56.789Z').getFullYear() == 2024 && timestamp('2024-02-29T12:34:56.789Z').getMonth() == 1",
  "timestamp('2024-02-29T12:34:56.789Z').getDate() == 29 && timestamp('2024-02-29T12:34:56.789Z').getDayOfMonth() == 28",
  "timestamp('2024-02-29T12:34:56.789Z').getDayOfYear() == 59 && timestamp('2024-02-29T12:34:56.789Z').getDayOfWeek() == 4",
  "timestamp('2024-02-29T12:34:56.789Z').getMilliseconds() == 789 && timestamp('2024-02-29T23:30:00Z').getHours('+01:00') == 0",
  "timestamp('2024-07-01T12:00:00Z').getHours('America/New_York') == 8 && timestamp('2024-07-01T12:00:00Z').getMinutes('-02:30') == 30",
  "string(timestamp('2024-01-01T01:00:00.5+01:00')) == '2024-01-01T01:00:00.5+01:00' && int(timestamp('1970-01-01T00:01:00Z')) == 60",
  // Strings.
  "'hello'.charAt(1) == 'e' && 'hello'.charAt(5) == '' && 'hello'.indexOf('l') == 2 && 'hello'.indexOf('l', 3) == 3",
  "'hello'.lastIndexOf('l') == 3 && 'hello'.lastIndexOf('l', 2) == 2 && 'hello'.indexOf('x') == -1 && '👑a'.indexOf('a') == 1",
  "'HeLLo É'.lowerAscii() == 'hello É' && 'héllo'.upperAscii() == 'HéLLO' && '  a b\\n'.trim() == 'a b'",
  "'a-b-c'.replace('-', '+') == 'a+b+c' && 'a-b-c'.replace('-', '+', 1) == 'a+b-c' && 'ab'.replace('', '_') == '_a_b_'",
  "'a,b,c'.split(',') == ['a', 'b', 'c'] && 'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'a,b'.split(',', 0) == []",
  "'hello'.substring(1) == 'ello' && 'hello'.substring(1, 3) == 'el' && ['a', 'b'].join('-') == 'a-b' && ['a', 'b'].join() == 'ab'",
  "strings.quote('a\"b\\n') == '\"a\\\\\"b\\\\n\"' && 'abc'.contains('b') && 'abc'.startsWith('ab') && 'abc'.endsWith('bc')",
  "'%s has %d (%.2f, %x, %X, %o, %b, %%)'.format(['it', 5, 1.005, 255, 'hi', 8, 5]) == 'it has 5 (1.00, ff, 6869, 10, 101, %)'",
  "'%s %s'.format([[1, 'a', 1.5], {'b': true, 'a': null}]) == '[1, \"a\", 1.500000] {\"a\":null, \"b\":true}'",
  // Patterns are RE2's.
  "'abc123'.matches('[0-9]+$') && matches('abc', '(?i)ABC') && !'abc'.matches('^b')",
  "'abc 123 45'.find('[0-9]+') == '123' && 'abc'.find('[0-9]+') == '' && 'a1b22'.findAll('[0-9]+') == ['1', '22']",
  "'a1b22'.findAll('[0-9]+', 1) == ['1'] && 'ab'.findAll('x*') == ['', '', '']",
  // Lists and sets.
  "[1, 2, 2].isSorted() && !['b', 'a'].isSorted() && [1, 2].sum() == 3 && [1.5, 2.0].sum() == 3.5 && [duration('1s')].sum() == duration('1s')",
  "[3, 1, 2].min() == 1 && ['a', 'c', 'b'].max() == 'c' && [1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(5) == -1",
  "[3, 1, 2].sort() == [1, 2, 3] && ['bb', 'a'].sortBy(x, size(x)) == ['a', 'bb'] && [1, 2, 3].reverse() == [3, 2, 1]",
  '[1, 2, 3, 4].slice(1, 3) == [2, 3] && [[1], [2, 3]].flatten() == [1, 2, 3] && [1, 1, 2].distinct() == [1, 2] && lists.range(3) == [0, 1, 2]',
  'sets.contains([1, 2, 3], [2]) && sets.equivalent([1, 2, 2], [2, 1]) && sets.intersects([1], [1, 2]) && !sets.intersects([1], [2])',
  // URLs.
  "url('https://user@example.com:8080/a%20b?x=1&x=2&y=%26#f').getHost() == 'example.com:8080' && isURL('/abs/path') && !isURL('relative')",
  "url('https://example.com:8080/a%20b?x=1&x=2').getEscapedPath() == '/a%20b' && url('https://example.com:8080/p').getPort() == '8080'",
  "url('https://example.com/?x=1&x=2&y=%26').getQuery() == {'x': ['1', '2'], 'y': ['&']} && url('http://[::1]:80/').getHostname() == '::1'",
  "url('HTTPS://example.com/').getScheme() == 'https' && !isURL('http://a b') && !isURL('')",
  // Quantities.
  "quantity('1.5Gi').isGreaterThan(quantity('1G')) && quantity('500m').isLessThan(quantity('1')) && quantity('1k') == quantity('1000')",
  "quantity('1k').asInteger() == 1000 && !quantity('1.5').isInteger() && !quantity('1000m').isInteger() && quantity('1Ki').asInteger() == 1024",
  "quantity('1').add(quantity('500m')) == quantity('1.5') && quantity('1k').sub(1) == quantity('999') && sign(quantity('-1')) == -1",
  "quantity('1500m').asApproximateFloat() == 1.5 && quantity('2').compareTo(quantity('1')) == 1 && isQuantity('1Ei') && !isQuantity('1Q')",
  // Addresses.
  "isIP('192.168.0.1') && isIP('::1') && !isIP('192.168.0.256') && !isIP('::ffff:1.2.3.4') && !isIP('1.2.3.04') && !isIP('fe80::1%eth0')",
  "ip('127.0.0.1').isLoopback() && ip('::1').isLoopback() && ip('0.0.0.0').isUnspecified() && ip('169.254.1.1').isLinkLocalUnicast()",
  "ip('224.0.0.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast() && ip('8.8.8.8').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast()",
  "ip('1.2.3.4').family() == 4 && ip('::').family() == 6 && ip('2001:db8:0:0::1') == ip('2001:db8::1') && ip.isCanonical('2001:db8::1')",
  "!ip.isCanonical('2001:DB8::1') && string(ip('2001:0db8:0:0:1:0:0:1')) == '2001:db8::1:0:0:1' && string(cidr('10.0.0.1/8')) == '10.0.0.1/8'",
  "cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsIP(ip('11.0.0.1')) && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
  "!cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8')) && cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('::/0').prefixLength() == 0",
  "cidr('10.1.2.3/8').ip() == ip('10.1.2.3') && isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0/33') && !isCIDR('10.0.0.0/08')",
  // Named formats.
  "!format.dns1123Label().validate('a-b').hasValue() && format.dns1123Label().validate('A').hasValue() && !format.dns1123LabelPrefix().validate('a-').hasValue()",
  "!format.named('uuid').value().validate('123e4567-e89b-12d3-a456-426614174000').hasValue() && !format.named('x').hasValue()",
  "format.date().validate('2024-13-01') == optional.of(['invalid date']) && !format.datetime().validate('2024-12-01T00:00:00Z').hasValue()",
  "!format.qualifiedName().validate('a.b/c').hasValue() && format.labelValue().validate('-').hasValue() && !format.byte().validate('YWI=').hasValue()",
  "!format.uri().validate('https://a/').hasValue() && format.dns1035Label().validate('1a').hasValue() && !format.dns1123Subdomain().validate('a.b').hasValue()",
  // Versions.
  "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.0.0-alpha').isLessThan(semver('1.0.0')) && semver('1.0.0-2').isLessThan(semver('1.0.0-10'))",
  "semver('1.0.0-rc.1').compareTo(semver('1.0.0-rc')) == 1 && semver('1.2.3+a') == semver('1.2.3+b') && semver('v1.2', true) == semver('1.2.0')",
  "isSemver('1.2.3') && !isSemver('1.2') && !isSemver('01.2.3') && isSemver('v01.2', true) && semver('1.2.3').major() == 1 && semver('1.2.3').patch() == 3",
]

for (const expression of truths) {
  test(`functions: ${expression}`, () => assert.equal(outcomeOf(expression), 'true'))
}

const failures: ReadonlyArray<readonly [expression: string, outcome: string]> = [
  ["int('x')", "error: type conversion error from 'string' to 'int'"],
  ['int(1e30)', 'error: integer overflow'],
  ['uint(-1)', 'error: unsigned integer overflow'],
  ["bool('yes')", "error: type conversion error from 'string' to 'bool'"],
  ["'abc'.charAt(4)", 'error: index out of range: 4'],
  ["'abc'.substring(2, 1)", 'error: invalid substring range. start: 2, end: 1'],
  ["timestamp('9999-12-31T23:59:59Z') + duration('1s')", 'error: timestamp overflow'],
  ["timestamp('2024-01-01T00:00:00Z').getHours('Nowhere/Here')", 'error: unknown time zone Nowhere/Here'],
  ['[].min()', 'error: min called on empty list'],
  ['[1].slice(0, 2)', 'error: cannot slice(0, 2), list is length 1'],
  ['lists.range(2000000)', 'too expensive'],
  ['lists.range(-1)', 'error: lists.range: size must be non-negative, got -1'],
  [
    "quantity('x')",
    "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  ["quantity('1500m').asInteger()", 'error: cannot convert value to integer'],
  [
    "ip('1.2.3')",
    'error: IP Address "1.2.3" parse error during conversion from string: ParseAddr("1.2.3"): IPv4 address too short',
  ],
  ["url('x')", 'error: URL parse error during conversion from string: parse "x": invalid URI for request'],
  ["semver('1.2')", 'error: No Major.Minor.Patch elements found'],
  [
    "'%d'.format(['a'])",
    'error: error during formatting: decimal clause can only be used on integers, was given string',
  ],
  ["'a'.matches('(' + '')", 'error: error parsing regexp: missing closing ): `(`'],
]

for (const [expression, outcome] of failures) {
  test(`functions: ${expression}`, () => assert.equal(outcomeOf(expression), outcome))
}
