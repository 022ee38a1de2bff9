import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasMore, hasSameChecks } from './check-files.ts'

test('another version in the settings of a project changes no check, and another option does', () => {
  const project = '[project]\nname = "shop"\nversion = "1.0.0"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n'
  assert.equal(hasMore('pyproject.toml'), true)
  assert.equal(hasSameChecks('pyproject.toml', project, project.replace('1.0.0', '1.1.0')), true)
  assert.equal(hasSameChecks('pyproject.toml', project, project.replace('"tests"', '"other"')), false)
  assert.equal(hasSameChecks('pyproject.toml', project, `${project}addopts = "-k not price"\n`), false)
  assert.equal(hasMore('pytest.ini'), false)
})
