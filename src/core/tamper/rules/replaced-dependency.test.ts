import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn, type Versions } from '../../../../test/support/tamper.ts'

const module = 'module shop\n\ngo 1.22\n\nrequire example.com/check v1.2.0\n'

test('a package that comes from a folder of the project now is a suspicion', () => {
  const cases: Versions[] = [
    { 'go.mod': [module, `${module}\nreplace example.com/check => ./internal/check\n`] },
    { 'go.mod': [module, `${module}\nreplace (\n\texample.com/check v1.2.0 => ../check\n)\n`] },
    { 'Cargo.toml': ['[dev-dependencies]\nrand = "1"\n', '[dev-dependencies]\nrand = { path = "stubs/rand" }\n'] },
    { Gemfile: ["gem 'rspec'\n", "gem 'rspec', path: 'stubs/rspec'\n"] },
    { 'requirements.txt': ['pytest==8.0\n', 'pytest @ file:./stubs/pytest\n'] },
  ]
  for (const versions of cases) assert.deepEqual(rulesIn(versions), [`subject-replaced ${Object.keys(versions)[0]}`])
})

test('a new package of the project, another version and a fork elsewhere are none', () => {
  const cases: Versions[] = [
    { 'go.mod': [module, `${module}require shop/money v0.0.0\n\nreplace shop/money => ./money\n`] },
    { 'go.mod': [module, `${module}\nreplace example.com/check => example.com/fork v1.2.1\n`] },
    { 'go.mod': [module, module.replace('v1.2.0', 'v1.3.0')] },
    { 'Cargo.toml': ['[dependencies]\nserde = "1"\n', '[dependencies]\nserde = "1"\nmoney = { path = "crates/money" }\n'] },
    {
      'Cargo.toml': [
        'grep = { version = "0.3.1", path = "crates/grep" }\n',
        'grep = { version = "0.3.2", path = "crates/grep" }\n',
      ],
    },
    { Gemfile: ["gem 'rspec'\n", "gem 'rspec'\ngem 'money', path: 'gems/money'\n"] },
  ]
  for (const versions of cases) assert.deepEqual(rulesIn(versions), [])
})
