from google.colab import drive
drive.mount("/content/drive")
