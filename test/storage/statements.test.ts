import { describe, expect, it, onTestFinished } from "vitest";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { Statements } from "#dist/storage/sqlite/statements.js";

function openStatements() {
  const connection = openConnection(":memory:", "writer");
  onTestFinished(() => void connection.close());
  const prepared: string[] = [];
  const prepare = connection.prepare.bind(connection);
  connection.prepare = ((sql: string) => {
    prepared.push(sql);
    return prepare(sql);
  }) as typeof connection.prepare;
  return { statements: new Statements(connection), prepared };
}

describe("statements", () => {
  it("are prepared once for each text", () => {
    const { statements, prepared } = openStatements();
    for (const value of [1, 2, 3]) expect(statements.get("SELECT ? AS value", value)).toEqual({ value });
    expect(statements.all("SELECT ? AS value", 4)).toEqual([{ value: 4 }]);
    expect(prepared).toEqual(["SELECT ? AS value"]);
  });

  it("are evicted by others, least recently used first", () => {
    const { statements, prepared } = openStatements();
    const kept = "SELECT 'kept'";
    const dropped = "SELECT 'dropped'";
    statements.all(dropped);
    for (let other = 0; other < 500; other++) {
      statements.all(`SELECT ${other}`);
      statements.all(kept);
    }
    statements.all(dropped);
    expect(prepared.filter((sql) => sql === kept)).toHaveLength(1);
    expect(prepared.filter((sql) => sql === dropped)).toHaveLength(2);
  });

  it("see a table that was recreated after they were prepared", () => {
    const { statements } = openStatements();
    statements.exec("CREATE TABLE notes (a)");
    statements.run("INSERT INTO notes VALUES (1)");
    expect(statements.all("SELECT * FROM notes")).toEqual([{ a: 1 }]);
    statements.exec("DROP TABLE notes; CREATE TABLE notes (a, b)");
    expect(statements.all("SELECT * FROM notes")).toEqual([]);
    statements.exec("INSERT INTO notes VALUES (1, 2)");
    expect(statements.all("SELECT * FROM notes")).toEqual([{ a: 1, b: 2 }]);
  });
});
