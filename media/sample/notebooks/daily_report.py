# Databricks notebook source
# A source notebook: cells are separated by COMMAND lines. Widgets are the parameters of the run.
dbutils.widgets.text("region", "everywhere")
dbutils.widgets.text("days", "3")

region = dbutils.widgets.get("region")
days = int(dbutils.widgets.get("days"))
print(f"Report for {region}, {days} days")

# COMMAND ----------

import random
from datetime import date, timedelta

generator = random.Random(region)
today = date.today()
orders = [(today - timedelta(days=back), generator.randint(40, 160)) for back in reversed(range(days))]
for day, count in orders:
    print(f"{day.isoformat()}  {'#' * (count // 8):<20} {count}")

# COMMAND ----------

import json

total = sum(count for _, count in orders)
best_day, best_count = max(orders, key=lambda order: order[1])
print(f"{total} orders, most on {best_day.isoformat()}: {best_count}")

# COMMAND ----------

# The exit value is the result of the run.
dbutils.notebook.exit(json.dumps({"region": region, "days": days, "orders": total}))
